/* trace_names.c - the names of trace events and of their fields, which tools of 3.4.6 read. */
#include "core/trace_id.h"
#include "lib/task/abi.h"

#define FIELD(key, description) {key, description},
#define EVENT(text)             {.name = text},

struct Pvmtevdid pvmtevdidlist[TEV_DID_MAX + 1] = {TRACE_ID_LIST(FIELD)};

struct Pvmtevinfo pvmtevinfo[TEV_MAX + 1] = {
    EVENT("addhosts") EVENT("barrier") EVENT("bcast") EVENT("bufinfo") EVENT("config") EVENT(
        "delete") EVENT("delhosts") EVENT("exit") EVENT("freebuf") EVENT("getfds") EVENT("getinst")
        EVENT("getopt") EVENT("getrbuf") EVENT("getsbuf") EVENT("gettid") EVENT("gsize")
            EVENT("halt") EVENT("initsend") EVENT("insert") EVENT("joingroup") EVENT("kill") EVENT(
                "lookup") EVENT("lvgroup") EVENT("mcast") EVENT("mkbuf") EVENT("mstat")
                EVENT("mytid") EVENT("notify") EVENT("nrecv") EVENT("parent") EVENT("perror") EVENT(
                    "pkbyte") EVENT("pkcplx") EVENT("pkdcplx") EVENT("pkdouble") EVENT("pkfloat")
                    EVENT("pkint") EVENT("pkuint") EVENT("pklong") EVENT("pkulong") EVENT(
                        "pkshort") EVENT("pkushort") EVENT("pkstr") EVENT("probe") EVENT("pstat")
                        EVENT("recv") EVENT("recvf") EVENT("send") EVENT(
                            "sendsig") EVENT("setopt") EVENT("setrbuf") EVENT("setsbuf")
                            EVENT("spawn") EVENT("start_pvmd") EVENT("tasks") EVENT("tickle") EVENT(
                                "tidtohost") EVENT("trecv") EVENT("upkbyte") EVENT("upkcplx")
                                EVENT("upkdcplx") EVENT("upkdouble") EVENT("upkfloat") EVENT(
                                    "upkint") EVENT("upkuint")
                                    EVENT("upklong") EVENT("upkulong") EVENT("upkshort") EVENT(
                                        "upkushort") EVENT("upkstr")
                                        EVENT("version") EVENT("reg_hoster") EVENT("reg_rm") EVENT(
                                            "reg_tasker") EVENT("reg_tracer")
                                            EVENT("newtask") EVENT("endtask") EVENT(
                                                "spntask") EVENT("archcode") EVENT("catchout")
                                                EVENT("getmwid") EVENT("gettmask") EVENT(
                                                    "hostsync") EVENT("packf") EVENT("precv")
                                                    EVENT("psend") EVENT("reduce") EVENT(
                                                        "setmwid") EVENT("settmask")
                                                        EVENT("unpackf") EVENT("gather") EVENT(
                                                            "scatter") EVENT("putinfo")
                                                            EVENT("getinfo") EVENT("delinfo") EVENT(
                                                                "getmboxinfo") EVENT("newcontext")
                                                                EVENT("freecontext") EVENT(
                                                                    "setcontext") EVENT("getcontex"
                                                                                        "t")
                                                                    EVENT("siblings") EVENT(
                                                                        "getminf"
                                                                        "o") EVENT("setminfo")
                                                                        EVENT("addm"
                                                                              "hf") EVENT("delmhf")
                                                                            EVENT("mhf_invoke")
                                                                                EVENT("timing")
                                                                                    EVENT(
                                                                                        "profiling")
                                                                                        EVENT(
                                                                                            "user_"
                                                                                            "define"
                                                                                            "d")};
