// Made by scripts/known-names.py, which says how.
import { table, type Table } from '../values/table.js';

/** Names of modules, where not in all versions with the minor version of Python 3 that has them first. */
export const KNOWN_NAMES: Table<string> = table({
  __future__:
    'absolute_import annotations barry_as_FLUFL division generator_stop generators nested_scopes print_function ' +
    'unicode_literals with_statement',
  abc:
    'ABC ABCMeta abstractclassmethod abstractmethod abstractproperty abstractstaticmethod get_cache_token ' +
    'update_abstractmethods@10',
  bisect: 'bisect bisect_left bisect_right insort insort_left insort_right',
  calendar:
    'APRIL@12 AUGUST@12 Calendar DECEMBER@12 Day@12 FEBRUARY@12 FRIDAY@10 HTMLCalendar IllegalMonthError ' +
    'IllegalWeekdayError JANUARY@12 JULY@12 JUNE@12 LocaleHTMLCalendar LocaleTextCalendar MARCH@12 MAY@12 MONDAY@10 ' +
    'Month@12 NOVEMBER@12 OCTOBER@12 SATURDAY@10 SEPTEMBER@12 SUNDAY@10 THURSDAY@10 TUESDAY@10 TextCalendar ' +
    'WEDNESDAY@10 calendar day_abbr day_name firstweekday isleap leapdays month month_abbr month_name monthcalendar ' +
    'monthrange prcal prmonth setfirstweekday timegm weekday weekheader',
  cmath:
    'acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log log10 nan nanj phase ' +
    'pi polar rect sin sinh sqrt tan tanh tau',
  collections: 'ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque namedtuple',
  'collections.abc':
    'AsyncGenerator AsyncIterable AsyncIterator Awaitable Buffer@12 ByteString Callable Collection Container ' +
    'Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping ' +
    'MutableSequence MutableSet Reversible Sequence Set Sized ValuesView',
  contextlib:
    'AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack aclosing@10 ' +
    'asynccontextmanager chdir@11 closing contextmanager nullcontext redirect_stderr redirect_stdout suppress',
  copy: 'Error copy deepcopy replace@13',
  dataclasses:
    'Field FrozenInstanceError InitVar KW_ONLY@10 MISSING asdict astuple dataclass field fields is_dataclass ' +
    'make_dataclass replace',
  datetime: 'MAXYEAR MINYEAR UTC@11 date datetime time timedelta timezone tzinfo',
  decimal:
    'BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple DefaultContext ' +
    'DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext FloatOperation HAVE_CONTEXTVAR ' +
    'HAVE_THREADS Inexact InvalidContext InvalidOperation MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ' +
    'ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal ' +
    'Underflow getcontext localcontext setcontext',
  enum:
    'CONFORM@11 CONTINUOUS@11 EJECT@11 Enum EnumCheck@11 EnumDict@13 EnumMeta EnumType@11 Flag FlagBoundary@11 ' +
    'IntEnum IntFlag KEEP@11 NAMED_FLAGS@11 ReprEnum@11 STRICT@11 StrEnum@11 UNIQUE@11 auto global_enum@11 ' +
    'global_enum_repr@11 global_flag_repr@11 global_str@11 member@11 nonmember@11 pickle_by_enum_name@11 ' +
    'pickle_by_global_name@11 property@11 unique verify@11',
  fractions: 'Fraction',
  functools:
    'WRAPPER_ASSIGNMENTS WRAPPER_UPDATES cache@9 cached_property cmp_to_key lru_cache partial partialmethod reduce ' +
    'singledispatch singledispatchmethod total_ordering update_wrapper wraps',
  heapq: 'heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest',
  io:
    'BlockingIOError BufferedIOBase BufferedRWPair BufferedRandom BufferedReader BufferedWriter BytesIO ' +
    'DEFAULT_BUFFER_SIZE@11 FileIO IOBase IncrementalNewlineDecoder@11 RawIOBase SEEK_CUR SEEK_END SEEK_SET ' +
    'StringIO TextIOBase TextIOWrapper UnsupportedOperation open open_code text_encoding@11',
  itertools:
    'accumulate batched@12 chain combinations combinations_with_replacement compress count cycle dropwhile ' +
    'filterfalse groupby islice pairwise@10 permutations product repeat starmap takewhile tee zip_longest',
  json: 'JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads',
  logging:
    'BASIC_FORMAT BufferingFormatter CRITICAL DEBUG ERROR FATAL FileHandler Filter Formatter Handler INFO LogRecord ' +
    'Logger LoggerAdapter NOTSET NullHandler StreamHandler WARN WARNING addLevelName basicConfig captureWarnings ' +
    'critical debug disable error exception fatal getHandlerByName@12 getHandlerNames@12 getLevelName ' +
    'getLevelNamesMapping@11 getLogRecordFactory getLogger getLoggerClass info lastResort log makeLogRecord ' +
    'raiseExceptions setLogRecordFactory setLoggerClass shutdown warn warning',
  math:
    'acos acosh asin asinh atan atan2 atanh cbrt@11 ceil comb copysign cos cosh degrees dist e erf erfc exp exp2@11 ' +
    'expm1 fabs factorial floor fma@13 fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm@9 ' +
    'ldexp lgamma log log10 log1p log2 modf nan nextafter@9 perm pi pow prod radians remainder sin sinh sqrt ' +
    'sumprod@12 tan tanh tau trunc ulp@9',
  numbers: 'Complex Integral Number Rational Real',
  operator:
    'abs add and_ attrgetter call@11 concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat ' +
    'ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter ' +
    'itruediv ixor le length_hint lshift lt matmul methodcaller mod mul ne neg not_ or_ pos pow rshift setitem sub ' +
    'truediv truth xor',
  os:
    '_exit abort access altsep chdir chmod chown chroot close closerange confstr confstr_names copy_file_range ' +
    'cpu_count ctermid curdir defpath device_encoding devnull dup dup2 environ environb error eventfd@10 ' +
    'eventfd_read@10 eventfd_write@10 execl execle execlp execlpe execv execve execvp execvpe extsep fchdir fchmod ' +
    'fchown fdatasync fdopen fork forkpty fpathconf fsdecode fsencode fspath fstat fstatvfs fsync ftruncate fwalk ' +
    'get_blocking get_exec_path get_inheritable get_terminal_size getcwd getcwdb getegid getenv getenvb geteuid ' +
    'getgid getgrouplist getgroups getloadavg getlogin getpgid getpgrp getpid getppid getpriority getrandom ' +
    'getresgid getresuid getsid getuid getxattr grantpt@13 initgroups isatty kill killpg lchown linesep link ' +
    'listdir listxattr lockf login_tty@11 lseek lstat major makedev makedirs memfd_create minor mkdir mkfifo mknod ' +
    'name nice open openpty pardir path pathconf pathconf_names pathsep pidfd_open@9 pipe pipe2 popen posix_fadvise ' +
    'posix_fallocate posix_openpt@13 posix_spawn posix_spawnp pread preadv ptsname@13 putenv pwrite pwritev read ' +
    'readlink readv register_at_fork remove removedirs removexattr rename renames replace rmdir scandir ' +
    'sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getparam sched_getscheduler sched_param ' +
    'sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler sched_yield sendfile sep ' +
    'set_blocking set_inheritable setegid seteuid setgid setgroups setns@12 setpgid setpgrp setpriority setregid ' +
    'setresgid setresuid setreuid setsid setuid setxattr spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp ' +
    'spawnvpe splice@10 stat stat_result statvfs statvfs_result strerror supports_bytes_environ symlink sync ' +
    'sysconf sysconf_names system tcgetpgrp tcsetpgrp terminal_size timerfd_create@13 timerfd_gettime@13 ' +
    'timerfd_gettime_ns@13 timerfd_settime@13 timerfd_settime_ns@13 times times_result truncate ttyname umask uname ' +
    'uname_result unlink unlockpt@13 unsetenv unshare@12 urandom utime wait wait3 wait4 waitid waitid_result ' +
    'waitpid waitstatus_to_exitcode@9 walk write writev',
  'os.path':
    'abspath altsep basename commonpath commonprefix curdir defpath devnull dirname exists expanduser expandvars ' +
    'extsep getatime getctime getmtime getsize isabs isdevdrive@13 isdir isfile isjunction@12 islink ismount join ' +
    'lexists normcase normpath pardir pathsep realpath relpath samefile sameopenfile samestat sep split splitdrive ' +
    'splitext splitroot@12 supports_unicode_filenames',
  pathlib: 'Path PosixPath PurePath PurePosixPath PureWindowsPath UnsupportedOperation@13 WindowsPath',
  pprint: 'PrettyPrinter isreadable isrecursive pformat pp pprint saferepr',
  random:
    'Random SystemRandom betavariate binomialvariate@12 choice choices expovariate gammavariate gauss getrandbits ' +
    'getstate lognormvariate normalvariate paretovariate randbytes@9 randint random randrange sample seed setstate ' +
    'shuffle triangular uniform vonmisesvariate weibullvariate',
  re:
    'A ASCII DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG@11 Pattern PatternError@13 RegexFlag@11 S U ' +
    'UNICODE VERBOSE X compile error escape findall finditer fullmatch match purge search split sub subn',
  statistics:
    'NormalDist StatisticsError correlation@10 covariance@10 fmean geometric_mean harmonic_mean kde@13 ' +
    'kde_random@13 linear_regression@10 mean median median_grouped median_high median_low mode multimode pstdev ' +
    'pvariance quantiles stdev variance',
  string:
    'Formatter Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable ' +
    'punctuation whitespace',
  struct: 'Struct calcsize error iter_unpack pack pack_into unpack unpack_from',
  sys:
    'abiflags activate_stack_trampoline@12 addaudithook api_version argv audit base_exec_prefix base_prefix ' +
    'breakpointhook builtin_module_names byteorder call_tracing copyright deactivate_stack_trampoline@12 ' +
    'displayhook dont_write_bytecode exc_info excepthook exception@11 exec_prefix executable exit flags float_info ' +
    'float_repr_style get_asyncgen_hooks get_coroutine_origin_tracking_depth get_int_max_str_digits ' +
    'getallocatedblocks getdefaultencoding getdlopenflags getfilesystemencodeerrors getfilesystemencoding ' +
    'getprofile getrecursionlimit getrefcount getsizeof getswitchinterval gettrace getunicodeinternedsize@12 ' +
    'hash_info hexversion implementation int_info intern is_finalizing is_stack_trampoline_active@12 maxsize ' +
    'maxunicode meta_path modules monitoring@12 orig_argv@10 path path_hooks path_importer_cache platform ' +
    'platlibdir@9 prefix pycache_prefix set_asyncgen_hooks set_coroutine_origin_tracking_depth ' +
    'set_int_max_str_digits setdlopenflags setprofile setrecursionlimit setswitchinterval settrace stderr stdin ' +
    'stdlib_module_names@10 stdout thread_info unraisablehook version version_info warnoptions',
  textwrap: 'TextWrapper dedent fill indent shorten wrap',
  time:
    'CLOCK_BOOTTIME CLOCK_MONOTONIC CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_TAI@9 ' +
    'CLOCK_THREAD_CPUTIME_ID altzone asctime clock_getres clock_gettime clock_gettime_ns clock_settime ' +
    'clock_settime_ns ctime daylight get_clock_info gmtime localtime mktime monotonic monotonic_ns perf_counter ' +
    'perf_counter_ns process_time process_time_ns pthread_getcpuclockid sleep strftime strptime struct_time ' +
    'thread_time thread_time_ns time time_ns timezone tzname tzset',
  timeit: 'Timer default_timer repeat timeit',
  traceback:
    'FrameSummary StackSummary TracebackException clear_frames extract_stack extract_tb format_exc format_exception ' +
    'format_exception_only format_list format_stack format_tb print_exc print_exception print_last print_stack ' +
    'print_tb walk_stack walk_tb',
  types:
    'AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CapsuleType@13 CellType ClassMethodDescriptorType ' +
    'CodeType CoroutineType DynamicClassAttribute EllipsisType@10 FrameType FunctionType GeneratorType ' +
    'GenericAlias@9 GetSetDescriptorType LambdaType MappingProxyType MemberDescriptorType MethodDescriptorType ' +
    'MethodType MethodWrapperType ModuleType NoneType@10 NotImplementedType@10 SimpleNamespace TracebackType ' +
    'UnionType@10 WrapperDescriptorType coroutine get_original_bases@12 new_class prepare_class resolve_bases',
  typing:
    'AbstractSet Annotated@9 Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable ' +
    'BinaryIO@9 ByteString Callable ChainMap ClassVar Collection Concatenate@10 Container ContextManager Coroutine ' +
    'Counter DefaultDict Deque Dict Final ForwardRef FrozenSet Generator Generic Hashable IO@9 ItemsView Iterable ' +
    'Iterator KeysView List Literal LiteralString@11 Mapping MappingView Match@9 MutableMapping MutableSequence ' +
    'MutableSet NamedTuple Never@11 NewType NoDefault@13 NoReturn NotRequired@11 Optional OrderedDict ParamSpec@10 ' +
    'ParamSpecArgs@10 ParamSpecKwargs@10 Pattern@9 Protocol ReadOnly@13 Required@11 Reversible Self@11 Sequence Set ' +
    'Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound ' +
    'TYPE_CHECKING Text TextIO@9 Tuple Type TypeAlias@10 TypeAliasType@12 TypeGuard@10 TypeIs@13 TypeVar ' +
    'TypeVarTuple@11 TypedDict Union Unpack@11 ValuesView assert_never@11 assert_type@11 cast clear_overloads@11 ' +
    'dataclass_transform@11 final get_args get_origin get_overloads@11 get_protocol_members@13 get_type_hints ' +
    'is_protocol@13 is_typeddict@10 no_type_check no_type_check_decorator overload override@12 reveal_type@11 ' +
    'runtime_checkable',
  uuid:
    'Enum NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 RESERVED_FUTURE RESERVED_MICROSOFT RESERVED_NCS ' +
    'RFC_4122 SafeUUID UUID bytes_ getnode int_ main@12 uuid1 uuid3 uuid4 uuid5',
  warnings:
    'catch_warnings deprecated@13 filterwarnings formatwarning resetwarnings showwarning simplefilter warn ' +
    'warn_explicit',
  argparse:
    'Action ArgumentDefaultsHelpFormatter ArgumentError ArgumentParser ArgumentTypeError BooleanOptionalAction@9 ' +
    'FileType HelpFormatter MetavarTypeHelpFormatter Namespace ONE_OR_MORE OPTIONAL PARSER REMAINDER ' +
    'RawDescriptionHelpFormatter RawTextHelpFormatter SUPPRESS ZERO_OR_MORE',
  array: 'ArrayType array typecodes',
  csv:
    'Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_NOTNULL@12 ' +
    'QUOTE_STRINGS@12 Sniffer excel excel_tab field_size_limit get_dialect list_dialects reader register_dialect ' +
    'unix_dialect unregister_dialect writer',
  glob: 'escape glob iglob translate@13',
  hashlib:
    'algorithms_available algorithms_guaranteed blake2b blake2s file_digest@11 md5 new pbkdf2_hmac sha1 sha224 ' +
    'sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256',
  multiprocessing:
    'Array AuthenticationError Barrier BoundedSemaphore BufferTooShort Condition Event JoinableQueue Lock Manager ' +
    'Pipe Pool Process ProcessError Queue RLock RawArray RawValue Semaphore SimpleQueue TimeoutError Value ' +
    'active_children allow_connection_pickling cpu_count current_process freeze_support get_all_start_methods ' +
    'get_context get_logger get_start_method log_to_stderr parent_process reducer set_executable ' +
    'set_forkserver_preload set_start_method',
  pickle:
    'ADDITEMS APPEND APPENDS BINBYTES BINBYTES8 BINFLOAT BINGET BININT BININT1 BININT2 BINPERSID BINPUT BINSTRING ' +
    'BINUNICODE BINUNICODE8 BUILD BYTEARRAY8 DEFAULT_PROTOCOL DICT DUP EMPTY_DICT EMPTY_LIST EMPTY_SET EMPTY_TUPLE ' +
    'EXT1 EXT2 EXT4 FALSE FLOAT FRAME FROZENSET GET GLOBAL HIGHEST_PROTOCOL INST INT LIST LONG LONG1 LONG4 ' +
    'LONG_BINGET LONG_BINPUT MARK MEMOIZE NEWFALSE NEWOBJ NEWOBJ_EX NEWTRUE NEXT_BUFFER NONE OBJ PERSID POP ' +
    'POP_MARK PROTO PUT PickleBuffer PickleError Pickler PicklingError READONLY_BUFFER REDUCE SETITEM SETITEMS ' +
    'SHORT_BINBYTES SHORT_BINSTRING SHORT_BINUNICODE STACK_GLOBAL STOP STRING TRUE TUPLE TUPLE1 TUPLE2 TUPLE3 ' +
    'UNICODE Unpickler UnpicklingError dump dumps load loads',
  queue: 'Empty Full LifoQueue PriorityQueue Queue ShutDown@13 SimpleQueue',
  secrets: 'SystemRandom choice compare_digest randbelow randbits token_bytes token_hex token_urlsafe',
  shutil:
    'Error ExecError SameFileError SpecialFileError chown copy copy2 copyfile copyfileobj copymode copystat ' +
    'copytree disk_usage get_archive_formats get_terminal_size get_unpack_formats ignore_patterns make_archive move ' +
    'register_archive_format register_unpack_format rmtree unpack_archive unregister_archive_format ' +
    'unregister_unpack_format which',
  socket:
    'AF_ALG AF_APPLETALK AF_ASH AF_ATMPVC AF_ATMSVC AF_AX25 AF_BRIDGE AF_CAN AF_DECnet AF_ECONET AF_INET AF_INET6 ' +
    'AF_IPX AF_IRDA AF_KEY AF_LLC AF_NETBEUI AF_NETLINK AF_NETROM AF_PACKET AF_PPPOX AF_QIPCRTR AF_RDS AF_ROSE ' +
    'AF_ROUTE AF_SECURITY AF_SNA AF_TIPC AF_UNIX AF_UNSPEC AF_VSOCK AF_WANPIPE AF_X25 AI_ADDRCONFIG AI_ALL ' +
    'AI_CANONNAME AI_NUMERICHOST AI_NUMERICSERV AI_PASSIVE AI_V4MAPPED ALG_OP_DECRYPT ALG_OP_ENCRYPT ALG_OP_SIGN ' +
    'ALG_OP_VERIFY ALG_SET_AEAD_ASSOCLEN ALG_SET_AEAD_AUTHSIZE ALG_SET_IV ALG_SET_KEY ALG_SET_OP ALG_SET_PUBKEY ' +
    'AddressFamily CAN_BCM CAN_BCM_CAN_FD_FRAME CAN_BCM_RX_ANNOUNCE_RESUME CAN_BCM_RX_CHANGED CAN_BCM_RX_CHECK_DLC ' +
    'CAN_BCM_RX_DELETE CAN_BCM_RX_FILTER_ID CAN_BCM_RX_NO_AUTOTIMER CAN_BCM_RX_READ CAN_BCM_RX_RTR_FRAME ' +
    'CAN_BCM_RX_SETUP CAN_BCM_RX_STATUS CAN_BCM_RX_TIMEOUT CAN_BCM_SETTIMER CAN_BCM_STARTTIMER CAN_BCM_TX_ANNOUNCE ' +
    'CAN_BCM_TX_COUNTEVT CAN_BCM_TX_CP_CAN_ID CAN_BCM_TX_DELETE CAN_BCM_TX_EXPIRED CAN_BCM_TX_READ ' +
    'CAN_BCM_TX_RESET_MULTI_IDX CAN_BCM_TX_SEND CAN_BCM_TX_SETUP CAN_BCM_TX_STATUS CAN_EFF_FLAG CAN_EFF_MASK ' +
    'CAN_ERR_FLAG CAN_ERR_MASK CAN_ISOTP CAN_J1939@9 CAN_RAW CAN_RAW_FD_FRAMES CAN_RAW_FILTER ' +
    'CAN_RAW_JOIN_FILTERS@9 CAN_RAW_LOOPBACK CAN_RAW_RECV_OWN_MSGS CAN_RTR_FLAG CAN_SFF_MASK CAPI CMSG_LEN ' +
    'CMSG_SPACE EAI_ADDRFAMILY EAI_AGAIN EAI_BADFLAGS EAI_FAIL EAI_FAMILY EAI_MEMORY EAI_NODATA EAI_NONAME ' +
    'EAI_OVERFLOW EAI_SERVICE EAI_SOCKTYPE EAI_SYSTEM ETHERTYPE_ARP@12 ETHERTYPE_IP@12 ETHERTYPE_IPV6@12 ' +
    'ETHERTYPE_VLAN@12 ETH_P_ALL@12 INADDR_ALLHOSTS_GROUP INADDR_ANY INADDR_BROADCAST INADDR_LOOPBACK ' +
    'INADDR_MAX_LOCAL_GROUP INADDR_NONE INADDR_UNSPEC_GROUP IOCTL_VM_SOCKETS_GET_LOCAL_CID IPPORT_RESERVED ' +
    'IPPORT_USERRESERVED IPPROTO_AH IPPROTO_DSTOPTS IPPROTO_EGP IPPROTO_ESP IPPROTO_FRAGMENT IPPROTO_GRE ' +
    'IPPROTO_HOPOPTS IPPROTO_ICMP IPPROTO_ICMPV6 IPPROTO_IDP IPPROTO_IGMP IPPROTO_IP IPPROTO_IPIP IPPROTO_IPV6 ' +
    'IPPROTO_MPTCP@10 IPPROTO_NONE IPPROTO_PIM IPPROTO_PUP IPPROTO_RAW IPPROTO_ROUTING IPPROTO_RSVP IPPROTO_SCTP ' +
    'IPPROTO_TCP IPPROTO_TP IPPROTO_UDP IPPROTO_UDPLITE@9 IPV6_CHECKSUM IPV6_DONTFRAG IPV6_DSTOPTS IPV6_HOPLIMIT ' +
    'IPV6_HOPOPTS IPV6_JOIN_GROUP IPV6_LEAVE_GROUP IPV6_MULTICAST_HOPS IPV6_MULTICAST_IF IPV6_MULTICAST_LOOP ' +
    'IPV6_NEXTHOP IPV6_PATHMTU IPV6_PKTINFO IPV6_RECVDSTOPTS IPV6_RECVHOPLIMIT IPV6_RECVHOPOPTS IPV6_RECVPATHMTU ' +
    'IPV6_RECVPKTINFO IPV6_RECVRTHDR IPV6_RECVTCLASS IPV6_RTHDR IPV6_RTHDRDSTOPTS IPV6_RTHDR_TYPE_0 IPV6_TCLASS ' +
    'IPV6_UNICAST_HOPS IPV6_V6ONLY IP_ADD_MEMBERSHIP IP_ADD_SOURCE_MEMBERSHIP@12 IP_BIND_ADDRESS_NO_PORT@11 ' +
    'IP_BLOCK_SOURCE@12 IP_DEFAULT_MULTICAST_LOOP IP_DEFAULT_MULTICAST_TTL IP_DROP_MEMBERSHIP ' +
    'IP_DROP_SOURCE_MEMBERSHIP@12 IP_HDRINCL IP_MAX_MEMBERSHIPS IP_MULTICAST_IF IP_MULTICAST_LOOP IP_MULTICAST_TTL ' +
    'IP_OPTIONS IP_PKTINFO@12 IP_RECVOPTS IP_RECVRETOPTS IP_RECVTOS@10 IP_RETOPTS IP_TOS IP_TRANSPARENT IP_TTL ' +
    'IP_UNBLOCK_SOURCE@12 J1939_EE_INFO_NONE@9 J1939_EE_INFO_TX_ABORT@9 J1939_FILTER_MAX@9 J1939_IDLE_ADDR@9 ' +
    'J1939_MAX_UNICAST_ADDR@9 J1939_NLA_BYTES_ACKED@9 J1939_NLA_PAD@9 J1939_NO_ADDR@9 J1939_NO_NAME@9 ' +
    'J1939_NO_PGN@9 J1939_PGN_ADDRESS_CLAIMED@9 J1939_PGN_ADDRESS_COMMANDED@9 J1939_PGN_MAX@9 J1939_PGN_PDU1_MAX@9 ' +
    'J1939_PGN_REQUEST@9 MSG_CMSG_CLOEXEC MSG_CONFIRM MSG_CTRUNC MSG_DONTROUTE MSG_DONTWAIT MSG_EOR MSG_ERRQUEUE ' +
    'MSG_FASTOPEN MSG_MORE MSG_NOSIGNAL MSG_OOB MSG_PEEK MSG_TRUNC MSG_WAITALL NETLINK_CRYPTO NETLINK_DNRTMSG ' +
    'NETLINK_FIREWALL NETLINK_IP6_FW NETLINK_NFLOG NETLINK_ROUTE NETLINK_USERSOCK NETLINK_XFRM NI_DGRAM NI_IDN@13 ' +
    'NI_MAXHOST NI_MAXSERV NI_NAMEREQD NI_NOFQDN NI_NUMERICHOST NI_NUMERICSERV PACKET_BROADCAST PACKET_FASTROUTE ' +
    'PACKET_HOST PACKET_LOOPBACK PACKET_MULTICAST PACKET_OTHERHOST PACKET_OUTGOING PF_CAN PF_PACKET PF_RDS ' +
    'SCM_CREDENTIALS SCM_J1939_DEST_ADDR@9 SCM_J1939_DEST_NAME@9 SCM_J1939_ERRQUEUE@9 SCM_J1939_PRIO@9 SCM_RIGHTS ' +
    'SHUT_RD SHUT_RDWR SHUT_WR SOCK_CLOEXEC SOCK_DGRAM SOCK_NONBLOCK SOCK_RAW SOCK_RDM SOCK_SEQPACKET SOCK_STREAM ' +
    'SOL_ALG SOL_CAN_BASE SOL_CAN_RAW SOL_IP SOL_RDS SOL_SOCKET SOL_TCP SOL_TIPC SOL_UDP SOMAXCONN SO_ACCEPTCONN ' +
    'SO_BINDTODEVICE SO_BINDTOIFINDEX@13 SO_BROADCAST SO_DEBUG SO_DOMAIN SO_DONTROUTE SO_ERROR SO_INCOMING_CPU@11 ' +
    'SO_J1939_ERRQUEUE@9 SO_J1939_FILTER@9 SO_J1939_PROMISC@9 SO_J1939_SEND_PRIO@9 SO_KEEPALIVE SO_LINGER SO_MARK ' +
    'SO_OOBINLINE SO_PASSCRED SO_PASSSEC SO_PEERCRED SO_PEERSEC SO_PRIORITY SO_PROTOCOL SO_RCVBUF SO_RCVLOWAT ' +
    'SO_RCVTIMEO SO_REUSEADDR SO_REUSEPORT SO_SNDBUF SO_SNDLOWAT SO_SNDTIMEO SO_TYPE SO_VM_SOCKETS_BUFFER_MAX_SIZE ' +
    'SO_VM_SOCKETS_BUFFER_MIN_SIZE SO_VM_SOCKETS_BUFFER_SIZE SocketKind SocketType TCP_CC_INFO@12 TCP_CONGESTION ' +
    'TCP_CORK TCP_DEFER_ACCEPT TCP_FASTOPEN TCP_FASTOPEN_CONNECT@12 TCP_FASTOPEN_KEY@12 TCP_FASTOPEN_NO_COOKIE@12 ' +
    'TCP_INFO TCP_INQ@12 TCP_KEEPCNT TCP_KEEPIDLE TCP_KEEPINTVL TCP_LINGER2 TCP_MAXSEG TCP_MD5SIG@12 ' +
    'TCP_MD5SIG_EXT@12 TCP_NODELAY TCP_NOTSENT_LOWAT TCP_QUEUE_SEQ@12 TCP_QUICKACK TCP_REPAIR@12 ' +
    'TCP_REPAIR_OPTIONS@12 TCP_REPAIR_QUEUE@12 TCP_REPAIR_WINDOW@12 TCP_SAVED_SYN@12 TCP_SAVE_SYN@12 TCP_SYNCNT ' +
    'TCP_THIN_DUPACK@12 TCP_THIN_LINEAR_TIMEOUTS@12 TCP_TIMESTAMP@12 TCP_TX_DELAY@12 TCP_ULP@12 TCP_USER_TIMEOUT ' +
    'TCP_WINDOW_CLAMP TCP_ZEROCOPY_RECEIVE@12 TIPC_ADDR_ID TIPC_ADDR_NAME TIPC_ADDR_NAMESEQ TIPC_CFG_SRV ' +
    'TIPC_CLUSTER_SCOPE TIPC_CONN_TIMEOUT TIPC_CRITICAL_IMPORTANCE TIPC_DEST_DROPPABLE TIPC_HIGH_IMPORTANCE ' +
    'TIPC_IMPORTANCE TIPC_LOW_IMPORTANCE TIPC_MEDIUM_IMPORTANCE TIPC_NODE_SCOPE TIPC_PUBLISHED TIPC_SRC_DROPPABLE ' +
    'TIPC_SUBSCR_TIMEOUT TIPC_SUB_CANCEL TIPC_SUB_PORTS TIPC_SUB_SERVICE TIPC_TOP_SRV TIPC_WAIT_FOREVER ' +
    'TIPC_WITHDRAWN TIPC_ZONE_SCOPE UDPLITE_RECV_CSCOV@9 UDPLITE_SEND_CSCOV@9 VMADDR_CID_ANY VMADDR_CID_HOST ' +
    'VMADDR_PORT_ANY VM_SOCKETS_INVALID_VERSION close create_connection create_server dup error fromfd gaierror ' +
    'getaddrinfo getdefaulttimeout getfqdn gethostbyaddr gethostbyname gethostbyname_ex gethostname getnameinfo ' +
    'getprotobyname getservbyname getservbyport has_dualstack_ipv6 has_ipv6 herror htonl htons if_indextoname ' +
    'if_nameindex if_nametoindex inet_aton inet_ntoa inet_ntop inet_pton ntohl ntohs recv_fds@9 send_fds@9 ' +
    'setdefaulttimeout sethostname socket socketpair timeout',
  subprocess:
    'CalledProcessError CompletedProcess DEVNULL PIPE Popen STDOUT SubprocessError TimeoutExpired call check_call ' +
    'check_output getoutput getstatusoutput run',
  tempfile:
    'NamedTemporaryFile SpooledTemporaryFile TMP_MAX TemporaryDirectory TemporaryFile gettempdir gettempdirb ' +
    'gettempprefix gettempprefixb mkdtemp mkstemp mktemp tempdir',
  threading:
    'Barrier BoundedSemaphore BrokenBarrierError Condition Event ExceptHookArgs Lock RLock Semaphore TIMEOUT_MAX ' +
    'Thread ThreadError Timer active_count current_thread enumerate excepthook get_ident get_native_id ' +
    'getprofile@10 gettrace@10 local main_thread setprofile setprofile_all_threads@12 settrace ' +
    'settrace_all_threads@12 stack_size',
  'urllib.request':
    'AbstractBasicAuthHandler AbstractDigestAuthHandler BaseHandler CacheFTPHandler DataHandler FTPHandler ' +
    'FancyURLopener FileHandler HTTPBasicAuthHandler HTTPCookieProcessor HTTPDefaultErrorHandler ' +
    'HTTPDigestAuthHandler HTTPErrorProcessor HTTPHandler HTTPPasswordMgr HTTPPasswordMgrWithDefaultRealm ' +
    'HTTPPasswordMgrWithPriorAuth HTTPRedirectHandler HTTPSHandler OpenerDirector ProxyBasicAuthHandler ' +
    'ProxyDigestAuthHandler ProxyHandler Request URLopener UnknownHandler build_opener getproxies install_opener ' +
    'pathname2url url2pathname urlcleanup urlopen urlretrieve',
  numpy:
    'False_ ScalarType True_ abs absolute add all allclose amax amin angle any append apply_along_axis ' +
    'apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort ' +
    'argwhere around array array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray ' +
    'asarray_chkfinite ascontiguousarray asfortranarray asmatrix atleast_1d atleast_2d atleast_3d average bartlett ' +
    'base_repr binary_repr bincount bitwise_and bitwise_not bitwise_or bitwise_xor blackman block bmat bool_ ' +
    'broadcast broadcast_arrays broadcast_shapes broadcast_to busday_count busday_offset busdaycalendar byte bytes_ ' +
    'c_ can_cast cbrt cdouble ceil char character choose clip clongdouble column_stack common_type complex128 ' +
    'complex256 complex64 complexfloating compress concatenate conj conjugate convolve copy copysign copyto ' +
    'corrcoef correlate cos cosh count_nonzero cov cross csingle ctypeslib cumprod cumsum datetime64 ' +
    'datetime_as_string datetime_data deg2rad degrees delete diag diag_indices diag_indices_from diagflat diagonal ' +
    'diff digitize divide divmod dot double dsplit dstack dtype e ediff1d einsum einsum_path emath empty empty_like ' +
    'equal errstate euler_gamma exp exp2 expand_dims expm1 extract eye fabs fft fill_diagonal finfo fix flatiter ' +
    'flatnonzero flexible flip fliplr flipud float128 float16 float32 float64 float_power floating floor ' +
    'floor_divide fmax fmin fmod format_float_positional format_float_scientific frexp from_dlpack frombuffer ' +
    'fromfile fromfunction fromiter frompyfunc fromregex fromstring full full_like gcd generic genfromtxt geomspace ' +
    'get_include get_printoptions getbufsize geterr geterrcall gradient greater greater_equal half hamming hanning ' +
    'heaviside histogram histogram2d histogram_bin_edges histogramdd hsplit hstack hypot i0 identity iinfo imag ' +
    'index_exp indices inexact inf info inner insert int16 int32 int64 int8 int_ intc integer interp intersect1d ' +
    'intp invert is_busday isclose iscomplex iscomplexobj isfinite isfortran isin isinf isnan isnat isneginf ' +
    'isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lcm ldexp left_shift less less_equal ' +
    'lexsort lib linalg linspace little_endian load loadtxt log log10 log1p log2 logaddexp logaddexp2 logical_and ' +
    'logical_not logical_or logical_xor logspace longdouble longlong ma mask_indices matmul matrix max maximum ' +
    'may_share_memory mean median memmap meshgrid mgrid min min_scalar_type minimum mintypecode mod modf moveaxis ' +
    'multiply nan nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile ' +
    'nanprod nanquantile nanstd nansum nanvar ndarray ndenumerate ndim ndindex nditer negative nested_iters newaxis ' +
    'nextafter nonzero not_equal number object_ ogrid ones ones_like outer packbits pad partition percentile pi ' +
    'piecewise place poly poly1d polyadd polyder polydiv polyfit polyint polymul polynomial polysub polyval ' +
    'positive power printoptions prod promote_types ptp put put_along_axis putmask quantile r_ rad2deg radians ' +
    'random ravel ravel_multi_index real real_if_close rec recarray reciprocal record remainder repeat require ' +
    'reshape resize result_type right_shift rint roll rollaxis roots rot90 round s_ save savetxt savez ' +
    'savez_compressed sctypeDict searchsorted select set_printoptions setbufsize setdiff1d seterr seterrcall ' +
    'setxor1d shape shares_memory short show_config show_runtime sign signbit signedinteger sin sinc single sinh ' +
    'size sort sort_complex spacing split sqrt square squeeze stack std str_ subtract sum swapaxes take ' +
    'take_along_axis tan tanh tensordot test testing tile timedelta64 trace transpose tri tril tril_indices ' +
    'tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc typecodes typename ubyte ' +
    'ufunc uint uint16 uint32 uint64 uint8 uintc uintp ulonglong union1d unique unpackbits unravel_index ' +
    'unsignedinteger unwrap ushort vander var vdot vectorize void vsplit vstack where zeros zeros_like',
  'numpy.fft':
    'fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftfreq ' +
    'rfftn test',
  'numpy.linalg':
    'LinAlgError cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_power matrix_rank multi_dot norm pinv ' +
    'qr slogdet solve svd tensorinv tensorsolve test',
  'numpy.ma':
    'MAError MaskError MaskType MaskedArray abs absolute add all allclose allequal alltrue amax amin angle anom ' +
    'anomalies any append apply_along_axis apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 ' +
    'arctanh argmax argmin argsort around array asanyarray asarray atleast_1d atleast_2d atleast_3d average ' +
    'bitwise_and bitwise_or bitwise_xor bool_ ceil choose clip clump_masked clump_unmasked column_stack ' +
    'common_fill_value compress compress_cols compress_nd compress_rowcols compress_rows compressed concatenate ' +
    'conjugate convolve copy core corrcoef correlate cos cosh count count_masked cov cumprod cumsum ' +
    'default_fill_value diag diagflat diagonal diff divide dot dstack ediff1d empty empty_like equal exp ' +
    'expand_dims extras fabs filled fix_invalid flatnotmasked_contiguous flatnotmasked_edges flatten_mask ' +
    'flatten_structured_array floor floor_divide fmod frombuffer fromflex fromfunction getdata getmask getmaskarray ' +
    'greater greater_equal harden_mask hsplit hstack hypot identity ids in1d indices inner innerproduct intersect1d ' +
    'isMA isMaskedArray is_mask is_masked isarray isin left_shift less less_equal log log10 log2 logical_and ' +
    'logical_not logical_or logical_xor make_mask make_mask_descr make_mask_none mask_cols mask_or mask_rowcols ' +
    'mask_rows masked masked_all masked_all_like masked_array masked_equal masked_greater masked_greater_equal ' +
    'masked_inside masked_invalid masked_less masked_less_equal masked_not_equal masked_object masked_outside ' +
    'masked_print_option masked_singleton masked_values masked_where max maximum maximum_fill_value mean median min ' +
    'minimum minimum_fill_value mod mr_ multiply mvoid ndenumerate ndim negative nomask nonzero not_equal ' +
    'notmasked_contiguous notmasked_edges ones ones_like outer outerproduct polyfit power prod product ptp put ' +
    'putmask ravel remainder repeat reshape resize right_shift round round_ row_stack set_fill_value setdiff1d ' +
    'setxor1d shape sin sinh size soften_mask sometrue sort sqrt squeeze stack std subtract sum swapaxes take tan ' +
    'tanh test trace transpose true_divide union1d unique vander var vstack where zeros zeros_like',
  'numpy.polynomial':
    'Chebyshev Hermite HermiteE Laguerre Legendre Polynomial chebyshev hermite hermite_e laguerre legendre ' +
    'polynomial polyutils set_default_printstyle test',
  'numpy.random':
    'BitGenerator Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence beta binomial ' +
    'bit_generator bytes chisquare choice default_rng dirichlet exponential f gamma geometric get_bit_generator ' +
    'get_state gumbel hypergeometric laplace logistic lognormal logseries mtrand multinomial multivariate_normal ' +
    'negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn ' +
    'random random_integers random_sample ranf rayleigh sample seed set_bit_generator set_state shuffle ' +
    'standard_cauchy standard_exponential standard_gamma standard_normal standard_t test triangular uniform ' +
    'vonmises wald weibull zipf',
  'numpy.typing': 'ArrayLike DTypeLike NBitBase NDArray',
  scipy:
    'LowLevelCallable cluster datasets fft fftpack integrate interpolate io linalg ndimage optimize show_config ' +
    'signal sparse spatial special stats test',
  'scipy.constants':
    'Avogadro Boltzmann Btu Btu_IT Btu_th ConstantWarning G Julian_year N_A Planck R Rydberg Stefan_Boltzmann Wien ' +
    'acre alpha angstrom arcmin arcminute arcsec arcsecond astronomical_unit atm atmosphere atomic_mass atto au bar ' +
    'barrel bbl blob c calorie calorie_IT calorie_th carat centi codata constants convert_temperature day deci ' +
    'degree degree_Fahrenheit deka dyn dyne e eV electron_mass electron_volt elementary_charge epsilon_0 erg exa ' +
    'exbi femto fermi find fine_structure fluid_ounce fluid_ounce_US fluid_ounce_imp foot g gallon gallon_US ' +
    'gallon_imp gas_constant gibi giga golden golden_ratio grain gram gravitational_constant h hbar hectare hecto ' +
    'horsepower hour hp inch k kgf kibi kilo kilogram_force kmh knot lambda2nu lb lbf light_year liter litre ' +
    'long_ton m_e m_n m_p m_u mach mebi mega metric_ton micro micron mil mile milli minute mmHg mph mu_0 nano ' +
    'nautical_mile neutron_mass nu2lambda ounce oz parsec pebi peta physical_constants pi pico point pound ' +
    'pound_force precision proton_mass psi pt short_ton sigma slinch slug speed_of_light speed_of_sound stone ' +
    'survey_foot survey_mile tebi tera test ton_TNT torr troy_ounce troy_pound u unit value week yard year yobi ' +
    'yocto yotta zebi zepto zero_Celsius zetta',
  'scipy.integrate':
    'BDF DOP853 DenseOutput IntegrationWarning LSODA OdeSolution OdeSolver RK23 RK45 Radau complex_ode ' +
    'cumulative_trapezoid dblquad dop fixed_quad lsoda newton_cotes nquad ode odeint odepack quad quad_vec quadpack ' +
    'romb simpson solve_bvp solve_ivp test tplquad trapezoid vode',
  'scipy.interpolate':
    'Akima1DInterpolator BPoly BSpline BarycentricInterpolator BivariateSpline CloughTocher2DInterpolator ' +
    'CubicHermiteSpline CubicSpline InterpolatedUnivariateSpline KroghInterpolator LSQBivariateSpline ' +
    'LSQSphereBivariateSpline LSQUnivariateSpline LinearNDInterpolator NdPPoly NearestNDInterpolator PPoly ' +
    'PchipInterpolator RBFInterpolator Rbf RectBivariateSpline RectSphereBivariateSpline RegularGridInterpolator ' +
    'SmoothBivariateSpline SmoothSphereBivariateSpline UnivariateSpline approximate_taylor_polynomial ' +
    'barycentric_interpolate bisplev bisplrep fitpack fitpack2 griddata insert interp1d interp2d interpn interpnd ' +
    'interpolate krogh_interpolate lagrange make_interp_spline make_lsq_spline make_smoothing_spline ndgriddata ' +
    'pade pchip pchip_interpolate polyint rbf spalde splantider splder splev splint splprep splrep sproot test',
  'scipy.linalg':
    'LinAlgError LinAlgWarning bandwidth basic blas block_diag cdf2rdf cho_factor cho_solve cho_solve_banded ' +
    'cholesky cholesky_banded circulant clarkson_woodruff_transform companion convolution_matrix coshm cosm cossin ' +
    'cython_blas cython_lapack decomp decomp_cholesky decomp_lu decomp_qr decomp_schur decomp_svd det dft diagsvd ' +
    'eig eig_banded eigh eigh_tridiagonal eigvals eigvals_banded eigvalsh eigvalsh_tridiagonal expm expm_cond ' +
    'expm_frechet fiedler fiedler_companion find_best_blas_type fractional_matrix_power funm get_blas_funcs ' +
    'get_lapack_funcs hadamard hankel helmert hessenberg hilbert interpolative inv invhilbert invpascal ishermitian ' +
    'issymmetric khatri_rao lapack ldl leslie logm lstsq lu lu_factor lu_solve matfuncs matmul_toeplitz ' +
    'matrix_balance misc norm null_space ordqz orth orthogonal_procrustes pascal pinv pinvh polar qr qr_delete ' +
    'qr_insert qr_multiply qr_update qz rq rsf2csf schur signm sinhm sinm solve solve_banded solve_circulant ' +
    'solve_continuous_are solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov solve_lyapunov ' +
    'solve_sylvester solve_toeplitz solve_triangular solveh_banded special_matrices sqrtm subspace_angles svd ' +
    'svdvals tanhm tanm test toeplitz',
  'scipy.optimize':
    'BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian LbfgsInvHessProduct ' +
    'LinearConstraint NonlinearConstraint OptimizeResult OptimizeWarning RootResults SR1 anderson approx_fprime ' +
    'basinhopping bisect bracket brent brenth brentq broyden1 broyden2 brute check_grad cobyla curve_fit ' +
    'diagbroyden differential_evolution direct dual_annealing excitingmixing fixed_point fmin fmin_bfgs fmin_cg ' +
    'fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc fminbound fsolve golden lbfgsb ' +
    'least_squares leastsq line_search linear_sum_assignment linearmixing linesearch linprog ' +
    'linprog_verbose_callback lsq_linear milp minimize minimize_scalar minpack minpack2 moduleTNC newton ' +
    'newton_krylov nnls nonlin optimize quadratic_assignment ridder root root_scalar rosen rosen_der rosen_hess ' +
    'rosen_hess_prod shgo show_options slsqp test tnc toms748 zeros',
  'scipy.signal':
    'BadCoefficients CZT StateSpace TransferFunction ZerosPolesGain ZoomFFT abcd_normalize argrelextrema argrelmax ' +
    'argrelmin band_stop_obj bessel besselap bilinear bilinear_zpk bode bsplines buttap butter buttord cheb1ap ' +
    'cheb1ord cheb2ap cheb2ord cheby1 cheby2 check_COLA check_NOLA chirp choose_conv_method coherence cont2discrete ' +
    'convolve convolve2d correlate correlate2d correlation_lags csd cspline1d cspline1d_eval cspline2d czt ' +
    'czt_points dbode decimate deconvolve detrend dfreqresp dimpulse dlsim dlti dstep ellip ellipap ellipord ' +
    'fftconvolve filter_design filtfilt find_peaks find_peaks_cwt findfreqs fir_filter_design firls firwin firwin2 ' +
    'freqresp freqs freqs_zpk freqz freqz_zpk gammatone gauss_spline gausspulse get_window group_delay hilbert ' +
    'hilbert2 iircomb iirdesign iirfilter iirnotch iirpeak impulse invres invresz istft kaiser_atten kaiser_beta ' +
    'kaiserord lfilter lfilter_zi lfiltic lombscargle lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp ' +
    'lp2lp_zpk lsim lti lti_conversion ltisys max_len_seq medfilt medfilt2d minimum_phase normalize oaconvolve ' +
    'order_filter peak_prominences peak_widths periodogram place_poles qspline1d qspline1d_eval qspline2d remez ' +
    'resample resample_poly residue residuez savgol_coeffs savgol_filter sawtooth sepfir2d signaltools sos2tf ' +
    'sos2zpk sosfilt sosfilt_zi sosfiltfilt sosfreqz spectral spectrogram spline spline_filter square ss2tf ss2zpk ' +
    'step stft sweep_poly symiirorder1 symiirorder2 test tf2sos tf2ss tf2zpk unique_roots unit_impulse upfirdn ' +
    'vectorstrength waveforms wavelets welch wiener windows zoom_fft zpk2sos zpk2ss zpk2tf',
  'scipy.sparse':
    'SparseEfficiencyWarning SparseWarning base block_diag bmat bsr bsr_array bsr_matrix compressed construct coo ' +
    'coo_array coo_matrix csc csc_array csc_matrix csgraph csr csr_array csr_matrix data dia dia_array dia_matrix ' +
    'diags dok dok_array dok_matrix extract eye find hstack identity issparse isspmatrix isspmatrix_bsr ' +
    'isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia isspmatrix_dok isspmatrix_lil kron kronsum lil ' +
    'lil_array lil_matrix linalg load_npz rand random save_npz sparsetools spdiags spmatrix sputils tril triu ' +
    'vstack',
  'scipy.spatial':
    'ConvexHull Delaunay HalfspaceIntersection KDTree QhullError Rectangle SphericalVoronoi Voronoi cKDTree ckdtree ' +
    'convex_hull_plot_2d delaunay_plot_2d distance distance_matrix geometric_slerp kdtree minkowski_distance ' +
    'minkowski_distance_p procrustes qhull test transform tsearch voronoi_plot_2d',
  'scipy.spatial.distance':
    'CDistMetricWrapper Callable MetricInfo PDistMetricWrapper braycurtis canberra cdist chebyshev cityblock ' +
    'correlation cosine dice directed_hausdorff euclidean hamming is_valid_dm is_valid_y jaccard jensenshannon ' +
    'mahalanobis minkowski norm num_obs_dm num_obs_y partial pdist rel_entr rogerstanimoto russellrao seuclidean ' +
    'sokalsneath sqeuclidean squareform yule',
  'scipy.special':
    'SpecialFunctionError SpecialFunctionWarning add_newdocs agm ai_zeros airy airye assoc_laguerre basic bdtr ' +
    'bdtrc bdtri bdtrik bdtrin bei bei_zeros beip beip_zeros ber ber_zeros bernoulli berp berp_zeros besselpoly ' +
    'beta betainc betaincinv betaln bi_zeros binom boxcox boxcox1p btdtria btdtrib c_roots cbrt cg_roots chdtr ' +
    'chdtrc chdtri chdtriv chebyc chebys chebyt chebyu chndtr chndtridf chndtrinc chndtrix comb cosdg cosm1 cotdg ' +
    'cython_special dawsn digamma diric ellip_harm ellip_harm_2 ellip_normal ellipe ellipeinc ellipj ellipk ' +
    'ellipkinc ellipkm1 elliprc elliprd elliprf elliprg elliprj entr erf erf_zeros erfc erfcinv erfcx erfi erfinv ' +
    'errstate euler eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_gegenbauer eval_genlaguerre eval_hermite ' +
    'eval_hermitenorm eval_jacobi eval_laguerre eval_legendre eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi ' +
    'eval_sh_legendre exp1 exp10 exp2 expi expit expm1 expn exprel factorial factorial2 factorialk fdtr fdtrc fdtri ' +
    'fdtridfd fresnel fresnel_zeros fresnelc_zeros fresnels_zeros gamma gammainc gammaincc gammainccinv gammaincinv ' +
    'gammaln gammasgn gdtr gdtrc gdtria gdtrib gdtrix gegenbauer genlaguerre geterr h1vp h2vp h_roots hankel1 ' +
    'hankel1e hankel2 hankel2e he_roots hermite hermitenorm huber hyp0f1 hyp1f1 hyp2f1 hyperu i0 i0e i1 i1e ' +
    'inv_boxcox inv_boxcox1p it2i0k0 it2j0y0 it2struve0 itairy iti0k0 itj0y0 itmodstruve0 itstruve0 iv ive ivp j0 ' +
    'j1 j_roots jacobi jn jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros js_roots jv jve jvp k0 k0e k1 k1e kei kei_zeros ' +
    'keip keip_zeros kelvin kelvin_zeros ker ker_zeros kerp kerp_zeros kl_div kn kolmogi kolmogorov kv kve kvp ' +
    'l_roots la_roots laguerre lambertw legendre lmbda log1p log_expit log_ndtr log_softmax loggamma logit ' +
    'logsumexp lpmv lqmn lqn mathieu_a mathieu_b mathieu_cem mathieu_even_coef mathieu_modcem1 mathieu_modcem2 ' +
    'mathieu_modsem1 mathieu_modsem2 mathieu_odd_coef mathieu_sem modfresnelm modfresnelp modstruve multigammaln ' +
    'nbdtr nbdtrc nbdtri nbdtrik nbdtrin ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc ' +
    'nctdtrit ndtr ndtri ndtri_exp nrdtrimn nrdtrisd obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 obl_rad1_cv ' +
    'obl_rad2 obl_rad2_cv orthogonal owens_t p_roots pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa pdtr pdtrc pdtri ' +
    'pdtrik perm poch polygamma powm1 pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 ' +
    'pro_rad2_cv ps_roots pseudo_huber psi radian rel_entr rgamma riccati_jn riccati_yn roots_chebyc roots_chebys ' +
    'roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi ' +
    'roots_laguerre roots_legendre roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre round s_roots ' +
    'seterr sf_error sh_chebyt sh_chebyu sh_jacobi sh_legendre shichi sici sinc sindg smirnov smirnovi softmax ' +
    'specfun spence spfun_stats spherical_in spherical_jn spherical_kn spherical_yn stdtr stdtridf stdtrit struve ' +
    't_roots tandg test tklmbda ts_roots u_roots us_roots voigt_profile wofz wright_bessel wrightomega xlog1py ' +
    'xlogy y0 y0_zeros y1 y1_zeros y1p_zeros yn yn_zeros ynp_zeros yv yve yvp zeta zetac',
  'scipy.stats':
    'ConstantInputWarning Covariance DegenerateDataWarning FitError NearConstantInputWarning alexandergovern alpha ' +
    'anderson anderson_ksamp anglit ansari arcsine argus barnard_exact bartlett bayes_mvs bernoulli beta betabinom ' +
    'betaprime biasedurn binned_statistic binned_statistic_2d binned_statistic_dd binom binomtest boltzmann ' +
    'bootstrap boschloo_exact boxcox boxcox_llf boxcox_normmax boxcox_normplot bradford brunnermunzel burr burr12 ' +
    'cauchy chi chi2 chi2_contingency chisquare circmean circstd circvar combine_pvalues contingency cosine ' +
    'cramervonmises cramervonmises_2samp crystalball cumfreq describe dgamma differential_entropy directional_stats ' +
    'dirichlet distributions dlaplace dweibull energy_distance entropy epps_singleton_2samp erlang expectile expon ' +
    'exponnorm exponpow exponweib f f_oneway fatiguelife fisher_exact fisk fit fligner foldcauchy foldnorm ' +
    'friedmanchisquare gamma gausshyper gaussian_kde genexpon genextreme gengamma genhalflogistic genhyperbolic ' +
    'geninvgauss genlogistic gennorm genpareto geom gibrat gmean gompertz goodness_of_fit gstd gumbel_l gumbel_r ' +
    'gzscore halfcauchy halfgennorm halflogistic halfnorm hmean hypergeom hypsecant invgamma invgauss invweibull ' +
    'invwishart iqr jarque_bera johnsonsb johnsonsu kappa3 kappa4 kde kendalltau kruskal ks_1samp ks_2samp ksone ' +
    'kstat kstatvar kstest kstwo kstwobign kurtosis kurtosistest laplace laplace_asymmetric levene levy levy_l ' +
    'levy_stable linregress loggamma logistic loglaplace lognorm logser loguniform lomax mannwhitneyu matrix_normal ' +
    'maxwell median_abs_deviation median_test mielke mode moment monte_carlo_test mood morestats moyal mstats ' +
    'mstats_basic mstats_extras multinomial multiscale_graphcorr multivariate_hypergeom multivariate_normal ' +
    'multivariate_t mvn mvsdist nakagami nbinom ncf nchypergeom_fisher nchypergeom_wallenius nct ncx2 nhypergeom ' +
    'norm normaltest norminvgauss obrientransform ortho_group page_trend_test pareto pearson3 pearsonr ' +
    'percentileofscore permutation_test planck pmean pointbiserialr poisson poisson_means_test power_divergence ' +
    'powerlaw powerlognorm powernorm ppcc_max ppcc_plot probplot qmc randint random_correlation random_table ' +
    'rankdata ranksums rayleigh rdist recipinvgauss reciprocal relfreq rice rv_continuous rv_discrete rv_histogram ' +
    'scoreatpercentile sem semicircular shapiro siegelslopes sigmaclip skellam skew skewcauchy skewnorm skewtest ' +
    'somersd spearmanr special_ortho_group stats studentized_range t test theilslopes tiecorrect tmax tmean tmin ' +
    'trapezoid triang trim1 trim_mean trimboth truncexpon truncnorm truncpareto truncweibull_min tsem tstd ' +
    'ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel tukey_hsd tukeylambda tvar uniform uniform_direction ' +
    'unitary_group variation vonmises vonmises_line wald wasserstein_distance weibull_max weibull_min weightedtau ' +
    'wilcoxon wishart wrapcauchy yeojohnson yeojohnson_llf yeojohnson_normmax yeojohnson_normplot yulesimon zipf ' +
    'zipfian zmap zscore',
});
