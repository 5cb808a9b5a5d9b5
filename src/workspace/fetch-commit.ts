/** Brings the newest commit of the remote `origin` into the repository. No ref is changed. */
import { originNotFetched } from './faults.ts'
import { askGit, type Git, gitErrorLine } from './git.ts'

const NETWORK_TIMEOUT_MS = 5 * 60_000
const QUIET = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'] as const

type Wanted = { readonly directory: string; readonly signal: AbortSignal; readonly ref: string }

/** Its id; empty if `origin` has no such ref. Throws `origin_not_fetched`. */
export async function fetchCommit(git: Git, { ref, ...wanted }: Wanted): Promise<string> {
  const around = { ...wanted, allowsNetwork: true as const }
  const patient = { ...git, timeoutMs: NETWORK_TIMEOUT_MS }
  // Asked first: if the ref moves meanwhile, what is fetched contains this commit.
  const listed = await askGit(patient, { ...around, args: ['ls-remote', '--quiet', 'origin', ref] })
  // Git lists every ref that ends with the name.
  const lines = listed.stdout.toString('latin1').split('\n')
  const [commit = ''] = lines.find((line) => line.endsWith(`\t${ref}`))?.split('\t') ?? []
  if (listed.code === 0 && commit === '') return ''
  const { code, stderr } =
    listed.code === 0 ? await askGit(patient, { ...around, args: ['fetch', ...QUIET, 'origin', ref] }) : listed
  if (code !== 0) throw originNotFetched({ ref, problem: gitErrorLine(stderr) })
  return commit
}
