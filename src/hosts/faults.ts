import type { ChangeReport } from '../contract/reports.shape.ts'
import { defineFault } from '../kit/fault.ts'

export const unknownHostAdapter = defineFault('unknown_host_adapter', 'usage', {
  when: 'The command names a host that drover does not support.',
  message: (d: { given: string; nearest: string | undefined; known: readonly string[] }) => {
    const hint = d.nearest === undefined ? `use ${d.known.join(', ')} or all` : `did you mean ${d.nearest}?`
    return `drover does not support the host ${JSON.stringify(d.given)}; ${hint}`
  },
})

export const hostAdapterRequired = defineFault('host_adapter_required', 'usage', {
  when: 'The flag `--tool` names no host, or no host was named and none was detected in the repository.',
  message: (d: { problem: string; known: readonly string[] }) =>
    `${d.problem}; name one or more of ${d.known.join(', ')}, or all, with --tool`,
})

export const invalidAdapterSurface = defineFault('invalid_adapter_surface', 'usage', {
  when: 'Kiro was selected without `--surface`, or with a surface other than the installed one; or `--surface` was given without kiro.',
  message: (d: { problem: string }) => d.problem,
})

/** `report` is the outcome, or the plan if nothing was done. */
type FailedChange = { problem: string; report: ChangeReport }

export const installFailed = defineFault('install_failed', 'conflict', {
  when: 'Host files could not be installed or refreshed. The details report the outcome.',
  message: ({ problem, report }: FailedChange) =>
    report.transaction_outcome === 'committed'
      ? `the hosts are installed, but ${problem}`
      : `the hosts could not be installed: ${problem}`,
})

export const uninstallFailed = defineFault('uninstall_failed', 'conflict', {
  when: 'Host files could not be removed. The details report the outcome.',
  message: ({ problem, report }: FailedChange) =>
    report.transaction_outcome === 'committed'
      ? `the hosts are uninstalled, but ${problem}`
      : `the hosts could not be uninstalled: ${problem}`,
})

export const listFailed = defineFault('list_failed', 'unavailable', {
  when: 'The hosts cannot be listed, because the worktree itself cannot be read.',
  message: (d: { root: string; problem: string }) => `the hosts of ${d.root} cannot be listed: ${d.problem}`,
})

/** The last three are about one path. They are the cause of a fault above. */
export const hostPathBlocked = defineFault('host_path_blocked', 'unavailable', {
  when: 'The operating system refuses an operation on a path in the worktree.',
  message: (d: { path: string; problem: string }) => `${d.path}: ${d.problem}`,
})

export const hostFolderReplaced = defineFault('host_folder_replaced', 'conflict', {
  when: 'A folder above a host file is a symbolic link or not a folder. drover does not follow links.',
  message: (d: { path: string; kind: string }) =>
    `${d.path} is a ${d.kind}, and drover only changes files in real folders; replace it with a folder`,
})

export const hostFileChanged = defineFault('host_file_changed', 'conflict', {
  when: 'A file was changed after drover planned the install or uninstall.',
  message: (d: { path: string; problem: string }) =>
    `${d.path} was changed while drover was working: ${d.problem}; run the command again`,
})
