// Preloaded into a program, replaces its wall clock by the time, in ns since 1970, in the file that LEAFID_WALL names.
// All other clocks stay the machine's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *time) {
    static volatile long *wall;
    if (id != CLOCK_REALTIME)
        return syscall(SYS_clock_gettime, id, time);
    if (!wall)
        wall = mmap(NULL, sizeof *wall, PROT_READ, MAP_SHARED, open(getenv("LEAFID_WALL"), O_RDONLY), 0);
    time->tv_sec = *wall / 1000000000;
    time->tv_nsec = *wall % 1000000000;
    return 0;
}
