/*
 * The seccomp programs. All check the architecture first (a call made through another ABI has other numbers) and
 * on x86-64 refuse the x32 range. Stage 1 is a list of refusals because importing NumPy needs many ordinary calls;
 * only our worker and installed modules run under it. The template's is the same with a few calls less on the list.
 * Stage 2 is a list of permissions.
 *
 * Call numbers come from the system's headers. Numbers from 424 on are the same on every architecture.
 */
#define _GNU_SOURCE
#include "filters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "the sandbox knows the system calls of x86-64 and aarch64 only"
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

enum { kFirstUnified = 424, kCloseRange = 436, kFaccessat2 = 439, kX32Bit = 0x40000000 };

static const uint32_t kDenyEperm = SECCOMP_RET_ERRNO | EPERM;
static const uint32_t kDenyEnosys = SECCOMP_RET_ERRNO | ENOSYS;

static const int kLaunchRefusals[] = {
    /* network */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_setsockopt,
    /* processes, their signals and memory */
    SYS_clone, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setsid, SYS_setpgid,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_unshare, SYS_setns, SYS_execveat,
    SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler, SYS_sched_setattr, SYS_sched_setparam, SYS_personality,
    /* identity */
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid, SYS_setfsgid,
    SYS_setgroups, SYS_capset, SYS_setrlimit,
    /* the machine */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_sethostname,
    SYS_setdomainname, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_acct, SYS_quotactl, SYS_syslog,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_vhangup, SYS_name_to_handle_at,
    SYS_open_by_handle_at, SYS_fanotify_init, SYS_io_setup, SYS_remap_file_pages,
    /* shared with other processes */
    SYS_memfd_create, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semctl, SYS_msgget, SYS_msgsnd,
    SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_mq_timedsend,
    /* changes to files: Landlock refuses most, but neither modes nor times, and it may be missing */
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, SYS_utimensat, SYS_linkat, SYS_symlinkat, SYS_renameat2, SYS_mkdirat,
    SYS_mknodat, SYS_unlinkat, SYS_truncate, SYS_ftruncate, SYS_fallocate,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef __x86_64__
    SYS_fork, SYS_vfork, SYS_creat, SYS_link, SYS_symlink, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_mknod, SYS_unlink,
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_iopl, SYS_ioperm, SYS_modify_ldt,
    SYS_uselib, SYS_ustat, SYS_sysfs,
#endif
};

/* What the template does for its workers. A worker installs stage 1 on top, which refuses it. */
static const int kTemplatePermissions[] = {
    SYS_clone, SYS_kill, SYS_setsid,
#ifdef __x86_64__
    SYS_fork,
#endif
};

/* Flags that C libraries give to `clone` when they mean `fork`, and the signal at the child's end: no thread, nothing shared. */
static const uint32_t kForkFlags = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID | CSIGNAL;

static const int kWorkerPermissions[] = {
    /* the protocol's descriptors: opened before, nothing can open another */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_lseek, SYS_fstat, SYS_close, SYS_ppoll, SYS_pselect6,
    /* memory, without PROT_EXEC (mmap and mprotect are checked apart) */
    SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
    /* time */
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times, SYS_getrusage,
    /* itself */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_futex,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_getcpu, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid,
    SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo, SYS_getrandom, SYS_exit, SYS_exit_group,
#ifdef __x86_64__
    SYS_poll, SYS_select, SYS_time,
#endif
};

static void emit(struct filter* filter, uint16_t code, uint8_t jump_true, uint8_t jump_false, uint32_t operand) {
  /* A program that outgrows its array is a defect of the lists above: stop before anything untrusted runs. */
  if (filter->length == kMaxFilter) __builtin_trap();
  filter->code[filter->length++] = (struct sock_filter){code, jump_true, jump_false, operand};
}

static void load(struct filter* filter, size_t offset) {
  emit(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/* Offset of the low half of an argument: both architectures are little-endian. */
static size_t argument(int index) { return offsetof(struct seccomp_data, args) + 8 * (size_t)index; }

static void give(struct filter* filter, uint32_t action) { emit(filter, BPF_RET | BPF_K, 0, 0, action); }

static void give_if_equal(struct filter* filter, uint32_t number, uint32_t action) {
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number);
  give(filter, action);
}

/* For call `number`: EPERM if any bit of `mask` is set in its argument, else it is allowed. */
static void refuse_bits(struct filter* filter, uint32_t number, int index, uint32_t mask) {
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, number);
  load(filter, argument(index));
  emit(filter, BPF_JMP | BPF_JSET | BPF_K, 0, 1, mask);
  give(filter, kDenyEperm);
  give(filter, SECCOMP_RET_ALLOW);
}

static void begin(struct filter* filter) {
  filter->length = 0;
  load(filter, offsetof(struct seccomp_data, arch));
  emit(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE_ARCH);
  give(filter, SECCOMP_RET_KILL_PROCESS);
  load(filter, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  emit(filter, BPF_JMP | BPF_JGE | BPF_K, 0, 1, kX32Bit);
  give(filter, kDenyEnosys);
#endif
}

static int is_permitted_to_template(int number) {
  for (size_t i = 0; i < sizeof(kTemplatePermissions) / sizeof(kTemplatePermissions[0]); i++)
    if (kTemplatePermissions[i] == number) return 1;
  return 0;
}

static void build_refusals(struct filter* filter, int is_template) {
  begin(filter);
  /* Newer calls (io_uring, pidfd, clone3, openat2, mount API, ...) do not exist here; the C library falls back. */
  give_if_equal(filter, kCloseRange, SECCOMP_RET_ALLOW);
  give_if_equal(filter, kFaccessat2, SECCOMP_RET_ALLOW);
  emit(filter, BPF_JMP | BPF_JGE | BPF_K, 0, 1, kFirstUnified);
  give(filter, kDenyEnosys);
  for (size_t i = 0; i < sizeof(kLaunchRefusals) / sizeof(kLaunchRefusals[0]); i++)
    if (!is_template || !is_permitted_to_template(kLaunchRefusals[i]))
      give_if_equal(filter, (uint32_t)kLaunchRefusals[i], kDenyEperm);
  if (is_template) refuse_bits(filter, SYS_clone, 0, ~kForkFlags);
  refuse_bits(filter, SYS_prlimit64, 0, 0xffffffffU); /* process 0 is the caller */
  refuse_bits(filter, SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC);
#ifdef __x86_64__
  refuse_bits(filter, SYS_open, 1, O_ACCMODE | O_CREAT | O_TRUNC);
#endif
  give(filter, SECCOMP_RET_ALLOW);
}

void build_template_filter(struct filter* filter) { build_refusals(filter, 1); }

void build_launch_filter(struct filter* filter) { build_refusals(filter, 0); }

void build_worker_filter(struct filter* filter) {
  begin(filter);
  for (size_t i = 0; i < sizeof(kWorkerPermissions) / sizeof(kWorkerPermissions[0]); i++)
    give_if_equal(filter, (uint32_t)kWorkerPermissions[i], SECCOMP_RET_ALLOW);
  refuse_bits(filter, SYS_mmap, 2, PROT_EXEC);
  refuse_bits(filter, SYS_mprotect, 2, PROT_EXEC);
  give(filter, kDenyEperm);
}

int install_filter(const struct filter* filter) {
  const struct sock_fprog program = {filter->length, (struct sock_filter*)filter->code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
