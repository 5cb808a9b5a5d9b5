/** What the attempts of the probe say about the boundary. Pure. */

/** For each attempt null if it was refused, else what it got. */
export type ProbeResults = Readonly<Record<string, string | null>>

export type SandboxProperty = {
  name: string
  is_enforced: boolean
  by: string
  /** What the attempt got. */
  problem?: string
  /** Only told: a boundary without limits is a boundary. */
  is_limit?: true
}

type Row = { name: string; by: string; attempts: readonly string[] }

const ROWS: readonly Row[] = [
  { name: 'the home directory is hidden', by: 'mount namespace', attempts: ['homeFile', 'keyFile'] },
  { name: 'files outside cannot be written', by: 'mount namespace', attempts: ['outside', 'system'] },
  {
    name: 'the network of this machine is out of reach',
    by: 'network namespace',
    attempts: ['host', 'abstractSocket'],
  },
  { name: 'Unix sockets are hidden', by: 'mount namespace', attempts: ['socket'] },
  { name: 'hosts that are not listed are refused', by: "drover's proxy", attempts: ['unlisted'] },
  { name: 'other processes are hidden', by: 'process namespace', attempts: ['processes'] },
  {
    name: 'system calls that lead out are refused',
    by: 'seccomp',
    attempts: ['ptrace', 'keyring', 'namespace', 'vsock'],
  },
  { name: 'no process outlives the command', by: 'process namespace', attempts: ['survivors'] },
]

const LIMIT_ROWS: readonly Row[] = [
  { name: 'the size of a file is limited', by: 'RLIMIT_FSIZE', attempts: ['fileLimit'] },
  { name: 'what is written to disks is limited', by: "drover's watch", attempts: ['diskLimit'] },
  { name: 'the memory of a process is limited', by: 'RLIMIT_DATA', attempts: ['memoryLimit'] },
  { name: 'the memory of all processes is limited', by: 'systemd', attempts: ['totalMemoryLimit'] },
  { name: 'the number of processes is limited', by: 'RLIMIT_NPROC', attempts: ['processLimit'] },
]

export function judgeProbe(
  results: ProbeResults,
  { isReported, ...has }: { isReported: boolean; hasLimiter: boolean; hasScope: boolean },
): SandboxProperty[] {
  const judge = ({ name, by, attempts }: Row): SandboxProperty => {
    // An attempt that is missing was not refused.
    const failed = attempts.filter((attempt) => results[attempt] !== null)
    if (failed.length === 0) return { name, is_enforced: true, by }
    return {
      name,
      is_enforced: false,
      by,
      problem: failed.map((each) => `${each}: ${results[each] ?? 'not tried'}`).join(', '),
    }
  }
  const works = ['work', 'listed'].every((attempt) => typeof results[attempt] === 'string')
  const limits = LIMIT_ROWS.map((row) => ({ ...judge(row), is_limit: true as const }))
  return [
    ...ROWS.map(judge),
    flag('a refused host is reported', isReported),
    flag('the worktree and listed hosts can be used', works),
    ...limits.map((limit) => (limit.is_enforced ? limit : { ...limit, problem: explainLimit(limit, has) })),
  ]
}

function flag(name: string, isTrue: boolean): SandboxProperty {
  return { name, is_enforced: isTrue, by: "drover's proxy", ...(!isTrue && { problem: 'it was not' }) }
}

type Found = { hasLimiter: boolean; hasScope: boolean }

function explainLimit({ by, problem }: SandboxProperty, { hasLimiter, hasScope }: Found): string {
  if (by === 'systemd') return hasScope ? (problem ?? '') : 'there is no user session of systemd'
  if (!by.startsWith('RLIMIT')) return problem ?? ''
  if (!hasLimiter) return 'prlimit is not in PATH; install util-linux'
  return by === 'RLIMIT_NPROC'
    ? 'it is not limited for root, whose processes Linux does not count, so a fork bomb is not stopped; run drover as another user'
    : 'the limit was exceeded'
}
