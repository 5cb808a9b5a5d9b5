/** Turns a policy into a profile of Seatbelt, the sandbox of macOS, and the arguments of sandbox-exec(1). Pure. */
import type { Mount, SandboxPolicy } from './sandbox-policy.ts'

export type SeatbeltWrapping = {
  policy: SandboxPolicy
  argv: readonly [string, ...string[]]
  programs: { seatbelt: string; node: string; forwarder: string }
  /** The port of the proxy on this machine. */
  proxyPort: number
  /** A new directory in place of the home directory and of /tmp, which a profile can only hide. */
  ownDirectory: string
}

/** What every program of macOS needs to start. */
const BASE = [
  '(version 1)',
  '(deny default)',
  '(allow process-exec process-fork sysctl-read)',
  '(allow signal process-info* (target same-sandbox))',
  '(allow file-read-metadata)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.trustd.agent"))',
  '(allow file-read* (literal "/") (subpath "/System") (subpath "/Library") (subpath "/private/etc") (subpath "/private/var/db"))',
  '(allow file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/random") (literal "/dev/urandom"))',
]

export function toSeatbeltArguments(wrapping: SeatbeltWrapping): [string, ...string[]] {
  const { argv, programs, proxyPort } = wrapping
  return [
    ...[programs.seatbelt, '-p', toSeatbeltProfile(wrapping)],
    ...[programs.node, programs.forwarder, String(proxyPort), '', '', ...argv],
  ] as [string, ...string[]]
}

/** Of several rules about a path the last one counts, as the last mount does. */
export function toSeatbeltProfile(wrapping: Omit<SeatbeltWrapping, 'argv'>): string {
  const { policy, programs, proxyPort, ownDirectory } = wrapping
  return [
    ...BASE,
    ...policy.mounts.flatMap(toRules),
    allow('file-read*', programs.forwarder),
    allow('file-read* file-write*', ownDirectory),
    `(allow network-outbound (remote ip "localhost:${proxyPort}"))`,
  ].join('\n')
}

function toRules({ path, as }: Mount): string[] {
  switch (as) {
    case 'read':
      return [deny('file-write*', path), allow('file-read*', path)]
    case 'write':
      return [allow('file-read* file-write*', path)]
    case 'own':
    case 'empty directory':
    case 'empty file':
      return [deny('file-read* file-write*', path), allow('file-read-metadata', path)]
  }
}

function allow(what: string, path: string): string {
  return `(allow ${what} (subpath ${quote(path)}))`
}

function deny(what: string, path: string): string {
  return `(deny ${what} (subpath ${quote(path)}))`
}

/** A path cannot end its own string. */
function quote(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
