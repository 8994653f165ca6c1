/*
 * trace_id.h - the names of all fields that trace events have, in the order of their numbers
 * (pvmtev.h, TEV_DID_...).
 *
 * TRACE_ID_LIST(ID) expands ID(key, description) for each: a daemon tells them to a reader of trace
 * events, and libpvm3 exports them (pvmtevdidlist).
 */
#ifndef CORE_TRACE_ID_H
#define CORE_TRACE_ID_H

#define TRACE_ID_COUNT 123

#define TRACE_ID_LIST(ID)                                                                          \
    ID("AN", "PVM Architecture Name")                                                              \
    ID("AC", "PVM Architecture Code")                                                              \
    ID("AS", "Argument Strings (Argc/Argv)")                                                       \
    ID("BF", "Block Flag")                                                                         \
    ID("CC", "Condition Code")                                                                     \
    ID("CN", "Class Name")                                                                         \
    ID("CI", "Class Index")                                                                        \
    ID("CF", "Class Flags")                                                                        \
    ID("CD", "Class Data")                                                                         \
    ID("CR", "Returned Class Data")                                                                \
    ID("CL", "Returned Class Names")                                                               \
    ID("CDA", "Collective Data Address")                                                           \
    ID("CDT", "Collective Data Type")                                                              \
    ID("CDX", "Collective Data")                                                                   \
    ID("CDC", "Collective Count")                                                                  \
    ID("CGI", "Collective Group Result Instance")                                                  \
    ID("CRF", "Collective Reduce Function")                                                        \
    ID("CXC", "Current Message Context")                                                           \
    ID("CXF", "Freed Message Context")                                                             \
    ID("CXN", "New Message Context")                                                               \
    ID("CXS", "Set Message Context")                                                               \
    ID("ERI", "PVM Error Identifier")                                                              \
    ID("ERR", "PVM Error String")                                                                  \
    ID("FDS", "File Descriptors")                                                                  \
    ID("FP", "File Pointer")                                                                       \
    ID("GN", "Group Name")                                                                         \
    ID("GI", "Group Instance Number")                                                              \
    ID("GT", "Group Task ID")                                                                      \
    ID("GS", "Group Size")                                                                         \
    ID("GBC", "Group Barrier Count")                                                               \
    ID("HN", "Host Name")                                                                          \
    ID("HNL", "Host Name List")                                                                    \
    ID("HNA", "Host Name Alias")                                                                   \
    ID("HPT", "Host PVMD Task ID")                                                                 \
    ID("HA", "Host Architecture")                                                                  \
    ID("HSP", "Host Speed")                                                                        \
    ID("HIS", "Host Information Structures")                                                       \
    ID("HCS", "Host Clock Seconds")                                                                \
    ID("HCU", "Host Clock Microseconds")                                                           \
    ID("HDS", "Host Delta Seconds")                                                                \
    ID("HDU", "Host Delta Microseconds")                                                           \
    ID("HS", "Host Status")                                                                        \
    ID("INB", "Info Number of Message Bytes")                                                      \
    ID("IMC", "Info Message Code")                                                                 \
    ID("IST", "Info Message Source Task")                                                          \
    ID("MC", "Message Code")                                                                       \
    ID("MCX", "Message Context")                                                                   \
    ID("MB", "Message Buffer")                                                                     \
    ID("MNB", "Message Number of Bytes")                                                           \
    ID("SRC", "Message Source Task ID")                                                            \
    ID("DST", "Message Destination Task ID")                                                       \
    ID("MDL", "Message Destination Task ID List")                                                  \
    ID("MTS", "Message Timeout Seconds")                                                           \
    ID("MTU", "Message Timeout Microseconds")                                                      \
    ID("MRF", "Message Receive Function")                                                          \
    ID("MRB", "Message Receive Buffer")                                                            \
    ID("MSB", "Message Send Buffer")                                                               \
    ID("ME", "Message Encoding")                                                                   \
    ID("MHI", "Message Handler Index")                                                             \
    ID("AST", "Actual Message Sender Task ID")                                                     \
    ID("AMC", "Actual Message Code")                                                               \
    ID("AML", "Actual Message Length")                                                             \
    ID("NE", "Notify Event ID")                                                                    \
    ID("NMC", "Notify Message Code")                                                               \
    ID("NCT", "Notify Count")                                                                      \
    ID("NTL", "Notify Task ID List")                                                               \
    ID("NH", "Number of Hosts")                                                                    \
    ID("NA", "Number of Architectures")                                                            \
    ID("OPT", "PVM Option ID")                                                                     \
    ID("OPV", "PVM Option Value")                                                                  \
    ID("OS", "Output String")                                                                      \
    ID("PDA", "Pack Data Address")                                                                 \
    ID("PDT", "Pack Data Type")                                                                    \
    ID("PC", "Pack Count")                                                                         \
    ID("PSD", "Pack Stride")                                                                       \
    ID("PSG", "Pack String")                                                                       \
    ID("PF", "Pack Format")                                                                        \
    ID("PRF", "Profiling Count")                                                                   \
    ID("RST", "Receive Msg Source Task / Wildcard")                                                \
    ID("RMC", "Receive Msg Code / Wildcard")                                                       \
    ID("RCX", "Receive Msg Context")                                                               \
    ID("SN", "Signal Number")                                                                      \
    ID("SE", "Spawn Executable File")                                                              \
    ID("SF", "Spawn Flags")                                                                        \
    ID("SW", "Spawn Where")                                                                        \
    ID("SC", "Spawn Count")                                                                        \
    ID("STL", "Spawned Task ID List")                                                              \
    ID("SIB", "Sibling Task ID List")                                                              \
    ID("TID", "Task ID")                                                                           \
    ID("PT", "Parent Task ID")                                                                     \
    ID("MT", "My Task ID")                                                                         \
    ID("TF", "Task Flags")                                                                         \
    ID("TN", "Task Name")                                                                          \
    ID("PID", "Task Process ID")                                                                   \
    ID("TT", "Target Task ID")                                                                     \
    ID("TW", "Tasks Where")                                                                        \
    ID("TIS", "Task Information Structures")                                                       \
    ID("TNT", "Task Info - Number of Tasks")                                                       \
    ID("TST", "Task Status")                                                                       \
    ID("TUS", "Task User Usage Seconds")                                                           \
    ID("TUU", "Task User Usage Microseconds")                                                      \
    ID("TSS", "Task System Usage Seconds")                                                         \
    ID("TSU", "Task System Usage Microseconds")                                                    \
    ID("TES", "Task Exit Status")                                                                  \
    ID("TA", "Tickle Arguments")                                                                   \
    ID("TR", "Tickle Responses")                                                                   \
    ID("TS", "Time Seconds")                                                                       \
    ID("TU", "Time Microseconds")                                                                  \
    ID("TGS", "Timing Seconds")                                                                    \
    ID("TGU", "Timing Microseconds")                                                               \
    ID("TMW", "Trace Mask Who")                                                                    \
    ID("TM", "Trace Mask")                                                                         \
    ID("TRC", "Tracer Message Trace Context")                                                      \
    ID("TRT", "Tracer Message Trace Tag")                                                          \
    ID("TRX", "Tracer Message Output Context")                                                     \
    ID("TRO", "Tracer Message Output Tag")                                                         \
    ID("TRM", "Tracer Trace Mask")                                                                 \
    ID("TRB", "Tracer Trace Buffering")                                                            \
    ID("TRL", "Tracer Trace Options")                                                              \
    ID("VER", "PVM Version")                                                                       \
    ID("VCT", "Trace Event Count")                                                                 \
    ID("VID", "Trace Event ID")                                                                    \
    ID("WID", "Wait Identifier Number")

struct trace_id {
    const char *name;
    const char *description;
};

/* All fields there are, by their number. */
extern const struct trace_id trace_ids[TRACE_ID_COUNT];

#endif
