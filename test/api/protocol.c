/* What pvmproto.h says, and what the library calls the tags in it. */
#include "observe.h"
#include <pvm3.h>

#define MSGHDRLEN 32 /* 3.4.6's header leaves it to its reader */
#include <pvmproto.h>

char *pvmnametag(int tag, int *found);

static void constants(void)
{
    AREA("constants");
    SEE(TDPROTOCOL);
    SEE(DDPROTOCOL);
    SEE(SDPROTOCOL);
    SEE(TM_FIRST);
    SEE(TM_CONNECT);
    SEE(TM_CONN2);
    SEE(TM_EXIT);
    SEE(TM_ADDHOST);
    SEE(TM_DELHOST);
    SEE(TM_CONFIG);
    SEE(TM_MSTAT);
    SEE(TM_HALT);
    SEE(TM_TICKLE);
    SEE(TM_SPAWN);
    SEE(TM_PSTAT);
    SEE(TM_SENDSIG);
    SEE(TM_TASK);
    SEE(TM_MCA);
    SEE(TM_NOTIFY);
    SEE(TM_DB);
    SEE(TM_SCHED);
    SEE(TM_TASKER);
    SEE(TM_HOSTER);
    SEE(TM_TRACER);
    SEE(TM_HOSTSYNC);
    SEE(TM_SETOPT);
    SEE(TM_GETOPT);
    SEE(TM_CONTEXT);
    SEE(TM_SHMCONN);
    SEE(TM_LAST);
    SEE(DM_FIRST);
    SEE(DM_ADD);
    SEE(DM_ADDACK);
    SEE(DM_EXEC);
    SEE(DM_EXECACK);
    SEE(DM_SENDSIG);
    SEE(DM_HTUPD);
    SEE(DM_HTUPDACK);
    SEE(DM_HTCOMMIT);
    SEE(DM_SLCONF);
    SEE(DM_STARTACK);
    SEE(DM_TASK);
    SEE(DM_TASKACK);
    SEE(DM_DELHOST);
    SEE(DM_DELHOSTACK);
    SEE(DM_NULL);
    SEE(DM_TASKOUT);
    SEE(DM_PSTAT);
    SEE(DM_PSTATACK);
    SEE(DM_HALT);
    SEE(DM_MCA);
    SEE(DM_NOTIFY);
    SEE(DM_NOTIFYACK);
    SEE(DM_DB);
    SEE(DM_DBACK);
    SEE(DM_RESET);
    SEE(DM_RESETACK);
    SEE(DM_HTDEL);
    SEE(DM_HOSTSYNC);
    SEE(DM_HOSTSYNCACK);
    SEE(DM_LAST);
    SEE(DM_SLCONF_EP);
    SEE(DM_SLCONF_BP);
    SEE(DM_SLCONF_WD);
    SEE(DM_SLCONF_SCHED);
    SEE(DM_SLCONF_TRACE);
    SEE(TC_FIRST);
    SEE(TC_CONREQ);
    SEE(TC_CONACK);
    SEE(TC_TASKEXIT);
    SEE(TC_NOOP);
    SEE(TC_OUTPUT);
    SEE(TC_SETTRACE);
    SEE(TC_SETTMASK);
    SEE(TC_SETTRCBUF);
    SEE(TC_SETTRCOPT);
    SEE(TC_SHMAT);
    SEE(TC_OUTPUTX);
    SEE(TC_SIBLINGS);
    SEE(TC_LAST);
    SEE(SM_FIRST);
    SEE(SM_SPAWN);
    SEE(SM_EXEC);
    SEE(SM_EXECACK);
    SEE(SM_TASK);
    SEE(SM_CONFIG);
    SEE(SM_ADDHOST);
    SEE(SM_DELHOST);
    SEE(SM_ADD);
    SEE(SM_ADDACK);
    SEE(SM_NOTIFY);
    SEE(SM_TASKX);
    SEE(SM_HOSTX);
    SEE(SM_HANDOFF);
    SEE(SM_SCHED);
    SEE(SM_STHOST);
    SEE(SM_STHOSTACK);
    SEE(SM_STTASK);
    SEE(SM_LAST);
    SEE(TMDB_PUT);
    SEE(TMDB_REMOVE);
    SEE(TMDB_GET);
    SEE(TMDB_NAMES);
    SEE(TMDB_RESET);
    SEE(TS_OUTTID);
    SEE(TS_OUTCTX);
    SEE(TS_OUTTAG);
    SEE(TS_TRCTID);
    SEE(TS_TRCCTX);
    SEE(TS_TRCTAG);
    SEE(TO_EOF);
    SEE(TO_SPAWN);
    SEE(TO_NEW);
    SEE(BASECONTEXT);
    SEE(SYSCTX_FIRST);
    SEE(SYSCTX_TC);
    SEE(SYSCTX_TM);
    SEE(SYSCTX_SG);
    SEE(SYSCTX_DG);
    SEE(SYSCTX_RS4);
    SEE(SYSCTX_RS5);
    SEE(SYSCTX_RS6);
    SEE(SYSCTX_RS7);
    SEE(SYSCTX_RS8);
    SEE(SYSCTX_RS9);
    SEE(SYSCTX_LAST);
    SEE(NUM_SYSCTX);
    SEE(TDFRAGHDR);
    SEE(DDFRAGHDR);
    SEE(MAXHDR);
    SEE(FFDAT);
    SEE(FFFIN);
    SEE(FFACK);
    SEE(DDMINRETRIES);
    SEE(DDMAXRTT);
    SEE(DDMINTIMEOUT);
    SEE(DDERRRETRY);
    SEE(DDPINGTIME);
    SEE(DDBAILTIME);
    SEE(PVMDNORMAL);
    SEE(PVMDHTUPD);
    SEE(PVMDSTARTUP);
    SEE(PVMDPRIME);
    SEE(PVMDHALTING);
    SEE(PVMDSHUTDOWN);
    SEE(PVMDISTASK);
    SEE_TEXT("TDSOCKNAME", TDSOCKNAME);
}

static void sequence(void)
{
    static const int places[] = {0, 1, 2, 32766, 32767, 32768, 32769, 65534, 65535};
    enum { PLACES = sizeof places / sizeof places[0] };

    AREA("sequence numbers");
    for (int i = 0; i < PLACES; i++) {
        printf("%d next %d:", places[i], NEXTSEQNUM(places[i]));
        for (int j = 0; j < PLACES; j++)
            printf(" %d%d", SEQNUMCOMPARE(places[i], places[j]), SEQLESSTHAN(places[i], places[j]));
        printf("\n");
    }
}

static void name_see(int tag)
{
    int found = -1;
    char *name = pvmnametag(tag, &found);

    printf("%d: '%s' %d\n", tag, name, found);
}

static void names(void)
{
    AREA("names");
    for (int tag = TM_FIRST - 1; tag <= TM_LAST + 1; tag++)
        name_see(tag);
    for (int tag = DM_FIRST - 1; tag <= DM_LAST + 1; tag++)
        name_see(tag);
    for (int tag = TC_FIRST - 1; tag <= TC_LAST + 1; tag++)
        name_see(tag);
    for (int tag = SM_FIRST - 1; tag <= SM_LAST + 1; tag++)
        name_see(tag);
    name_see(0);
    name_see(-1);
    name_see(2147483647);
    SEE_TEXT("without a place for the answer", pvmnametag(TM_EXIT, NULL));
}

int main(void)
{
    observe();
    constants();
    sequence();
    names();
    return 0;
}
