import type { ChangeReport } from '../contract/change-report.shape.ts'
import { defineFault } from '../kit/fault.ts'

export const unknownHostAdapter = defineFault({
  code: 'unknown_host_adapter',
  kind: 'usage',
  when: 'A host was named that drover does not know.',
  say: (d: { given: string; nearest: string | undefined; known: readonly string[] }) => {
    const hint = d.nearest === undefined ? `it knows ${d.known.join(', ')} and all` : `did you mean ${d.nearest}?`
    return `drover does not know the host ${JSON.stringify(d.given)}; ${hint}`
  },
})

export const hostAdapterRequired = defineFault({
  code: 'host_adapter_required',
  kind: 'usage',
  when: 'No host was named by `--tool`, or none at all where the repository shows no sign of any.',
  say: (d: { problem: string; known: readonly string[] }) =>
    `${d.problem}; name one or more of ${d.known.join(', ')}, or all, with --tool`,
})

export const invalidAdapterSurface = defineFault({
  code: 'invalid_adapter_surface',
  kind: 'usage',
  when: 'A host that can be called in two ways was selected without saying which, or not as it is installed; or `--surface` was given and no such host was selected.',
  say: (d: { problem: string }) => d.problem,
})

/** What was wrong, and what had been planned or done by then. */
type FailedChange = { problem: string; report: ChangeReport }

export const installFailed = defineFault({
  code: 'install_failed',
  kind: 'conflict',
  when: 'Files of hosts could not be installed or refreshed; the details tell what became of them.',
  say: ({ problem, report }: FailedChange) =>
    report.transaction_outcome === 'committed'
      ? `the hosts are installed, but ${problem}`
      : `the hosts could not be installed: ${problem}`,
})

export const uninstallFailed = defineFault({
  code: 'uninstall_failed',
  kind: 'conflict',
  when: 'Files of hosts could not be removed; the details tell what became of them.',
  say: ({ problem, report }: FailedChange) =>
    report.transaction_outcome === 'committed'
      ? `the hosts are uninstalled, but ${problem}`
      : `the hosts could not be uninstalled: ${problem}`,
})

export const listFailed = defineFault({
  code: 'list_failed',
  kind: 'unavailable',
  when: 'Nothing can be said about any host, because the worktree itself cannot be looked into.',
  say: (d: { root: string; problem: string }) => `the hosts of ${d.root} cannot be listed: ${d.problem}`,
})

/** The last three are about one path. They are reported under the codes above, as the cause. */
export const hostPathBlocked = defineFault({
  code: 'host_path_blocked',
  kind: 'unavailable',
  when: 'The system refuses what is to be done at a path of the worktree.',
  say: (d: { path: string; problem: string }) => `${d.path}: ${d.problem}`,
})

export const hostFolderReplaced = defineFault({
  code: 'host_folder_replaced',
  kind: 'conflict',
  when: 'A folder on the way to a file of a host is a symbolic link or no folder at all; drover follows no links.',
  say: (d: { path: string; kind: string }) => `${d.path} is a ${d.kind}, and drover changes nothing behind it`,
})

export const hostFileChanged = defineFault({
  code: 'host_file_changed',
  kind: 'conflict',
  when: 'A file is no longer what it was when the change of hosts was planned.',
  say: (d: { path: string; problem: string }) =>
    `${d.path} is not what it was when this was planned: ${d.problem}; run the command again when nobody else works on it`,
})
