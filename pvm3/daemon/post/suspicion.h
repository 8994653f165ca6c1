/*
 * suspicion.h - is a host gone that says nothing? The judgement alone, as a value.
 *
 * Time is counted in ticks of this daemon. A host that is quiet for some ticks is asked directly. If
 * the answer fails to appear, other hosts, the witnesses, are asked to ask it too (an indirect
 * probe). The host is gone when witnesses got no answer either: two of them, or one where there is
 * no second one. One witness that got an answer clears the host, and everything begins again: a host
 * that others reach is never gone, as long as they are asked. Without witnesses, or without their
 * answers, the host is gone only when it has owed an answer for the whole patience. So a daemon that
 * is cut off itself, which hears of no witness, gives up nobody early.
 *
 * All but the whole patience is stretched while this daemon is in bad health (hosts/local_health.h).
 *
 * A. Das, I. Gupta, A. Motivala: SWIM: Scalable Weakly-consistent Infection-style Process Group
 * Membership Protocol, 2002, has the indirect probe; A. Dadgar, J. Phillips, J. Currey: Lifeguard:
 * Local Health Awareness for More Accurate Failure Detection, 2018, the local health. Unlike there,
 * the hosts that are asked are those that this daemon depends on, not random ones.
 */
#ifndef DAEMON_POST_SUSPICION_H
#define DAEMON_POST_SUSPICION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many witnesses are asked at once, if there are so many. */
#define SUSPICION_WITNESSES 3

struct suspicion_limits {
    unsigned patience; /* ticks */
    unsigned stretch;  /* 1 in good health */
    bool early;        /* witnesses may be asked */
};

struct suspicion_witness {
    uint32_t part;
    bool unreached; /* it got no answer */
};

struct suspicion {
    unsigned quiet; /* ticks since anything has come */
    unsigned owed;  /* those of them in which the host owed an answer, since a witness reached it */
    int32_t round;  /* number of the last question to witnesses */
    unsigned age;   /* of that question, in ticks */
    size_t count;   /* of its witnesses */
    struct suspicion_witness witnesses[SUSPICION_WITNESSES];
};

enum suspicion_verdict {
    SUSPICION_NONE,
    SUSPICION_ASK,         /* the host directly; only if it is one that is to be asked */
    SUSPICION_ASK_OTHERS,  /* to be witnesses: others than before, if there are more */
    SUSPICION_UNREACHABLE, /* gone, as witnesses say too */
    SUSPICION_SILENT,      /* gone: the patience is over */
};

/* A tick has passed. `heard`: something has come in it; `owes`: the host owes an answer. */
void suspicion_tick(struct suspicion *suspicion, bool heard, bool owes);

enum suspicion_verdict suspicion_judge(const struct suspicion *suspicion,
                                       const struct suspicion_limits *limits);

/* These hosts are asked now, as far as there are any. Returns the number of the question. */
int32_t suspicion_ask(struct suspicion *suspicion, const uint32_t *parts, size_t count);

/* A host answers the question of that number; from others and to earlier ones it counts nothing. */
void suspicion_answer(struct suspicion *suspicion, uint32_t part, int32_t round, bool reached);

#endif
