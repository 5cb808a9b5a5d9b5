/** Turns a policy into the arguments of bubblewrap (bwrap(1)). Pure. */
import type { SandboxPrograms, Scope } from './find-programs.ts'
import type { Mount, SandboxLimits, SandboxPolicy } from './sandbox-policy.ts'

/** Where the proxy and the forwarder are inside. */
const INSIDE = { socket: '/run/drover/proxy.sock', forwarder: '/run/drover/forwarder' } as const

/** The port of the proxy inside. Nothing else has ports in a new network namespace. */
export const PROXY_PORT = 19_128

/** It doubles the time in which Node starts, so the forwarder does without it, and so does a command without hosts. */
const PROXY_FOR_NODE = 'NODE_USE_ENV_PROXY=1'

/** A `/tmp` or home that is full takes no more memory than this. */
const OWN_BYTES = 4 * 1024 ** 3

export type Wrapping = {
  policy: SandboxPolicy
  argv: readonly [string, ...string[]]
  cwd: string
  /** Paths outside. */
  programs: SandboxPrograms
  proxySocket: string
  /** Ports of the host's loopback that are also there inside. */
  ports: readonly number[]
  seccompDescriptor: number
}

const NAMESPACES = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup-try'],
  // Root would keep its capabilities.
  ...['--cap-drop', 'ALL'],
  // What it leaves behind ends with it, and it ends with drover.
  '--die-with-parent',
  // Without the terminal of the user, into which a command could type.
  '--new-session',
]

export function toBubblewrapArguments(wrapping: Wrapping): [string, ...string[]] {
  const { policy, argv, cwd, programs, proxySocket, ports } = wrapping
  const first = chooseForwarder(programs, ports)
  return [
    ...(policy.limits.totalMemoryBytes === undefined ? [] : toScopeArguments(policy.limits, programs.scope)),
    ...[programs.bubblewrap, ...NAMESPACES],
    ...['--seccomp', String(wrapping.seccompDescriptor)],
    ...['--unsetenv', 'XDG_RUNTIME_DIR', '--proc', '/proc', '--dev', '/dev'],
    // Memory, too: without this it has no limit.
    ...[...toArguments({ path: '/dev/shm', as: 'own' }), '--remount-ro', '/dev'],
    ...policy.mounts.flatMap(toArguments),
    ...['--bind', proxySocket, INSIDE.socket, '--ro-bind', first.file, INSIDE.forwarder],
    // After all mounts: bubblewrap has created directories for them.
    ...['--remount-ro', '/', '--chdir', cwd, '--'],
    ...limit(policy.limits, programs.limiter),
    ...[...first.argv, INSIDE.socket, [PROXY_PORT, ...ports].join(',')],
    ...[policy.hosts.length === 0 ? '' : PROXY_FOR_NODE, ...argv],
  ] as [string, ...string[]]
}

/** The first program inside. A start of Node costs more than everything else, but only Node opens more than one port. */
function chooseForwarder({ node, forwarder, relay }: SandboxPrograms, ports: readonly number[]) {
  if (relay === undefined || ports.length > 0) return { file: forwarder, argv: [node, INSIDE.forwarder] }
  return { file: relay.file, argv: [relay.shell, INSIDE.forwarder, relay.socat] }
}

function toArguments({ path, as, from = path, isOptional }: Mount): string[] {
  const ending = isOptional ? '-try' : ''
  switch (as) {
    case 'read':
      return [`--ro-bind${ending}`, from, path]
    case 'write':
      return [`--bind${ending}`, from, path]
    case 'own':
      return ['--perms', '1777', '--size', String(OWN_BYTES), '--tmpfs', path]
    case 'empty directory':
      return ['--tmpfs', path, '--remount-ro', path]
    case 'empty file':
      return ['--ro-bind', '/dev/null', path]
  }
}

/** A control group for the command, which ends with it. It needs the directory of the session, which is not there inside. */
export function toScopeArguments({ totalMemoryBytes, processes }: SandboxLimits, scope: Scope | undefined): string[] {
  if (scope === undefined) return []
  const properties = [
    ...(totalMemoryBytes === undefined ? [] : [`MemoryMax=${totalMemoryBytes}`, 'MemorySwapMax=0']),
    ...(processes === undefined ? [] : [`TasksMax=${processes}`]),
  ]
  const given = properties.flatMap((property) => ['--property', property])
  return [scope.program, '--user', '--scope', '--quiet', '--collect', ...given, '--']
}

function limit({ memoryBytes, processes, fileBytes }: SandboxLimits, limiter: string | undefined): string[] {
  if (limiter === undefined) return []
  const flags = [
    ...(memoryBytes === undefined ? [] : [`--data=${memoryBytes}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
    '--core=0',
  ]
  return [limiter, ...flags]
}
