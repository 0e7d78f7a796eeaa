/*
 * The lock protocol, for Spin: what README.md beside it says in words. agent.pml has the steps of
 * this program, original.pml those of the Go program.
 *
 * A configuration (-D): AGENTS and ORIGINALS (how many nodes run which program), POWER (hosts lose
 * power, and with it what was not flushed), FORGET (journals get lost), BYHAND (the lock is taken
 * away by hand), KILL_ORIGINAL (also in the middle of its upgrade), FAULTS (at most so many; else
 * any number), BROKEN (a variant that has to be found wrong).
 */
#ifndef AGENTS
#define AGENTS 3
#endif
#ifndef ORIGINALS
#define ORIGINALS 0
#endif
#ifndef BROKEN
#define BROKEN 0
#endif
#define NODES (AGENTS + ORIGINALS)
#define NOBODY NODES

#include "states.pml"

/*
 * A resourceVersion is only ever compared for equality, and one that was left never comes back. So
 * of each version that somebody remembers all that matters is whether it still is the object's.
 */
#define NONE 0
#define OLD 1
#define NOW 2

/* A request that writes: none, on its way, carried out, refused with 409. */
#define OUT 1
#define DONE 2
#define CLASH 3

/* What the lock said when it was seen last. */
#define OTHERS 0
#define FREE 1
#define MINE 2

/* The API server's object is its annotation; its version is always NOW. */
byte lock = NOBODY;

/* An agent's state, and what its context and its request hold. */
mtype st[NODES] = IDLE;
byte saw[NODES];          /* context.lock.value */
byte seen[NODES];         /* context.lock.resourceVersion */
byte sent[NODES];         /* the precondition of the last write; an acquire's is context.updateVersion */
byte lost[NODES];         /* context.lostUpdateVersion */
byte req[NODES];          /* the write that it waits for */
bit newer[NODES];         /* the watch has shown another version since that write was sent */
bit ended[NODES];         /* context.watchEnded */
bit behind[NODES];        /* the object has changed since the watch showed it last */
bit unlocked[NODES];      /* context.isUnlocked */
bit upgraded[NODES];      /* context.status is there */

/* A write of version NOW that nobody waits for, and that may still land. */
bit lateAcquire[NODES];
bit lateRelease[NODES];

/* What the next process finds in the journal: the state, and the lost version. */
mtype journal[NODES] = IDLE;
byte journalLost[NODES];
#ifdef POWER
/* The same as of the last flush. */
mtype disk[NODES] = IDLE;
byte diskLost[NODES];
#endif

/* The host and its Node. */
bit unit[NODES];          /* the upgrade runs in systemd */
bit cordoned[NODES];
bit marked[NODES];        /* about to reboot */
bit rebooted[NODES];      /* in another boot than the process before */

#define busy(a) (unit[a] || cordoned[a] || marked[a])

#ifdef FAULTS
byte faults = FAULTS;
#define mayFail (faults > 0)
#define fail() faults--
#else
#define mayFail true
#define fail() skip
#endif

#ifdef BYHAND
byte hands = BYHAND;
#endif

hidden byte k;

/* Invariant 1: who upgrades, drains or reboots is whom the lock names. So they are never two. */
inline checkExclusion() {
#ifndef BYHAND
  k = 0;
  do
  :: k < NODES -> assert(!busy(k) || lock == k); k++
  :: else -> break
  od;
#endif
  k = 0
}

#define aged(version) (version == NOW -> OLD : version)
#define watching(a) \
  ((st[a] == HELD || st[a] == STANDBY || st[a] == UPDATE_WATCHING || st[a] == CONFLICT_WATCHING || \
    st[a] == O_WATCH) && !ended[a])

/* The object gets a value and a new version: what anybody remembers is old now. */
inline write(value) {
  lock = value;
  k = 0;
  do
  :: k < NODES ->
    seen[k] = aged(seen[k]);
    sent[k] = aged(sent[k]);
    lost[k] = aged(lost[k]);
    journalLost[k] = aged(journalLost[k]);
#ifdef POWER
    diskLost[k] = aged(diskLost[k]);
#endif
#if BROKEN != 1
    lateAcquire[k] = 0;
    lateRelease[k] = 0;
#endif
    behind[k] = watching(k);
    k++
  :: else -> break
  od;
  checkExclusion()
}

/* Nobody takes a lock that another node holds. */
inline take() {
  assert(lock == NOBODY || lock == me);
  write(me)
}

/* Nobody clears another's lock. */
inline clear() {
  assert(lock == me);
  write(NOBODY)
}

#if BROKEN == 1
#define isPreconditionMet true
#else
#define isPreconditionMet (sent[me] == NOW)
#endif
#define isReleasing \
  (at(RELEASE) || at(RECOVER_RELEASE) || at(O_RELEASE) || at(O_START_RELEASE))
#define at(state) (st[me] == state)
#define verdict(a) (lock == a -> MINE : (lock == NOBODY -> FREE : OTHERS))

/* The request goes out with the version that was seen last. */
inline send() {
  sent[me] = seen[me];
  req[me] = OUT;
  newer[me] = 0
}

/* Nobody waits for the request any more; it may be on its way. */
inline giveUp() {
  if
  :: req[me] == OUT && isPreconditionMet ->
    if
    :: isReleasing -> lateRelease[me] = 1
    :: else -> lateAcquire[me] = 1
    fi
  :: else
  fi;
  req[me] = NONE
}

/* What the network and the API server do with the writes of one node. */
#define WIRE \
  :: d_step { req[me] == OUT && isPreconditionMet && !isReleasing -> \
      take(); seen[me] = NOW; req[me] = DONE } \
  :: d_step { req[me] == OUT && isPreconditionMet && isReleasing -> clear(); req[me] = DONE } \
  :: d_step { req[me] == OUT && !isPreconditionMet -> req[me] = CLASH } \
  :: d_step { lateAcquire[me] -> lateAcquire[me] = 0; take() } \
  :: d_step { lateRelease[me] -> lateRelease[me] = 0; clear() } \
  :: d_step { lateAcquire[me] || lateRelease[me] -> lateAcquire[me] = 0; lateRelease[me] = 0 }

#ifdef LIVENESS
/* Once the faults have ended: the lock comes free again and again, and somebody gets on. */
#if NODES == 3
#define isSomebodyBusy (busy(0) || busy(1) || busy(2))
#else
#define isSomebodyBusy (busy(0) || busy(1))
#endif
ltl free { []<> (lock == NOBODY) }
ltl progress { []<> isSomebodyBusy }
#endif

#include "agent.pml"
#if ORIGINALS > 0
#include "original.pml"
#endif

init {
  byte a = 0;
  atomic {
    do
    :: a < AGENTS -> run Agent(a); a++
#if ORIGINALS > 0
    :: a >= AGENTS && a < NODES -> run Original(a); a++
#endif
    :: else -> a = 0; break
    od
  }
end:
  do
  /* Somebody else changes the object: its status, another annotation. */
  :: d_step { mayFail -> fail(); write(lock) }
#ifdef BYHAND
  :: d_step { hands > 0 && lock != NOBODY -> hands--; write(NOBODY) }
#endif
  od
}
