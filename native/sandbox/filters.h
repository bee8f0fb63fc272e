/* Seccomp programs of the sandbox, written out by hand so that nothing has to be installed to build them. */
#ifndef EXTREMUM_SANDBOX_FILTERS_H
#define EXTREMUM_SANDBOX_FILTERS_H

#include <linux/filter.h>

enum { kMaxFilter = 768 };

struct filter {
  struct sock_filter code[kMaxFilter];
  unsigned short length;
};

/* Of the template, from exec on: stage 1, and fork, kill and setsid, which it needs for its workers. */
void build_template_filter(struct filter* filter);

/* Stage 1, from a worker's fork to the end of its imports: everything but the listed calls. */
void build_launch_filter(struct filter* filter);

/* Stage 2, while uploaded code runs: only the listed calls, and no executable memory. */
void build_worker_filter(struct filter* filter);

/* Needs no_new_privs. Returns 0, or -1 with errno. */
int install_filter(const struct filter* filter);

#endif
