import { foundAt } from '../../../hosts/found-files.ts'
import { type Host, manifestPath, sentinelPath } from '../../../hosts/host.ts'
import { HOSTS, listPaths } from '../../../hosts/hosts.ts'
import {
  attributesFor,
  convertedFiles,
  describeConverted,
  describeMarkerOnly,
  type FileStatus,
  type Installed,
  inspectHost,
  isDetected,
  MANIFEST_REMEDY,
} from '../../../hosts/inspect-host.ts'
import { type FoundHosts, readHosts } from '../../../hosts/read-hosts.ts'
import { openWorktree, realTreeDisk } from '../../../hosts/worktree.ts'
import { inWorktree } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const MANIFEST = defineFindings('Hosts', 'manifest', {
  adapter_manifest_unreadable: problem(
    'The manifest, which lists the files that drover owns, is invalid. Drover changes no file of this host.',
    MANIFEST_REMEDY,
  ),
})

export const ADAPTER = defineFindings('Hosts', 'adapter', {
  adapter_not_detected: ok('The repository does not use the host.'),
  adapter_not_installed: warning(
    'The repository uses the host, and drover is not installed for it.',
    'run drover hosts install --tool HOST',
  ),
  adapter_modified: warning(
    'Files that drover generated were edited or are missing. Drover never overwrites an edited file.',
    'run drover hosts install --tool HOST --refresh, which restores missing files',
  ),
  adapter_refresh_required: warning(
    'The files of the host differ from those that this version of drover generates.',
    'run drover hosts install --tool HOST --refresh',
  ),
  adapter_healthy: ok('Every file that drover generates for the host exists and is unchanged.'),
})

export const INSPECTION = defineFindings('Hosts', 'adapter inspection', {
  adapter_inspection_unavailable: problem(
    'A file of the host cannot be inspected.',
    'fix that and run drover doctor again',
  ),
})

export const checkHostAdapters = inWorktree(({ worktree_root }) => {
  using tree = openWorktree(worktree_root, realTreeDisk)
  const found = readHosts(HOSTS, tree)
  return HOSTS.map((host) => assessHost(host, found))
})

export function assessHost(host: Host, found: FoundHosts): Finding {
  const inspection = inspectHost(host, found.files)
  switch (inspection.is) {
    case 'unreadable':
      return MANIFEST.adapter_manifest_unreadable({ host: host.id, detail: inspection.problem })
    case 'marker_only':
      return ADAPTER.adapter_not_installed({ host: host.id, detail: describeMarkerOnly(host), todo: undefined })
    case 'absent':
      return assessAbsent(host, found, inspection.blocked)
    case 'installed':
      return assessInstalled(host, inspection, found)
  }
}

function assessAbsent(host: Host, { files, directories }: FoundHosts, blocked: string | undefined): Finding {
  if (!isDetected(host, directories)) {
    return ADAPTER.adapter_not_detected({
      host: host.id,
      detail: ['drover is not installed there', blocked].filter(Boolean).join(': '),
    })
  }
  if (blocked !== undefined) return INSPECTION.adapter_inspection_unavailable({ host: host.id, detail: blocked })
  const own = [manifestPath(host), sentinelPath(host)]
  const unowned = listPaths(host).filter((path) => !own.includes(path) && foundAt(files, path).is !== 'absent')
  if (unowned.length === 0) {
    return ADAPTER.adapter_not_installed({
      host: host.id,
      detail: 'used here, but drover is not installed',
      todo: installing(host),
    })
  }
  const strays = unowned.length === 1 ? 'a file is' : `${unowned.length} files are`
  return ADAPTER.adapter_not_installed({
    host: host.id,
    detail: `used here, but drover is not installed, and ${strays} in the way: ${unowned.join(', ')}`,
    todo: `move away what you do not need, then ${installing(host)}; drover leaves existing files unchanged`,
  })
}

/** The worst problem first: what a refresh cannot fix, what it fixes only in part, what it fixes. */
function assessInstalled(host: Host, installed: Installed, found: FoundHosts): Finding {
  const { files, blocked } = installed
  if (blocked !== undefined) return INSPECTION.adapter_inspection_unavailable({ host: host.id, detail: blocked })
  return (
    assessLineEnds(host, installed, found) ??
    assessSentinel(host, installed) ??
    assessClaims(host, installed) ??
    assessContents(host, installed) ??
    ADAPTER.adapter_healthy({ host: host.id, detail: `${files.length} managed files` })
  )
}

/** Checked first: a refresh would treat these files as edited and give up ownership of them. */
function assessLineEnds(host: Host, installed: Installed, { files }: FoundHosts): Finding | undefined {
  const converted = convertedFiles(host, installed, files)
  if (converted.length === 0) return undefined
  const lines = attributesFor(host, installed).map((line) => `"${line}"`)
  return ADAPTER.adapter_modified({
    host: host.id,
    detail: `${describeConverted(converted)}: ${converted.join(', ')}`,
    todo: `put ${lines.join(' and ')} into .gitattributes, delete these files, and ${refreshing(host)}, which restores them`,
  })
}

function assessSentinel(host: Host, { files, sentinel }: Installed): Finding | undefined {
  if (sentinel !== 'modified') return undefined
  const others = count(standingAs(files, 'modified', 'missing').length, 'other file')
  return ADAPTER.adapter_modified({
    host: host.id,
    detail: `${sentinelPath(host)} was edited, and ${others} edited or missing`,
    todo: `delete ${sentinelPath(host)} by hand, then ${refreshing(host)}`,
  })
}

function assessClaims(host: Host, { files, sentinel }: Installed): Finding | undefined {
  const [stale, outdated, foreign] = [
    standingAs(files, 'stale'),
    standingAs(files, 'earlier', 'new'),
    standingAs(files, 'unclaimed'),
  ]
  if (stale.length > 0) {
    const detail = describe(stale, 'listed in the manifest with contents that no known release of drover generated')
    const todo = `update drover if a newer one installed them, or ${refreshing(host)}, which keeps the files but no longer owns them`
    return ADAPTER.adapter_refresh_required({ host: host.id, detail, todo })
  }
  const lacks = [
    ...(outdated.length > 0 ? [`${count(outdated.length, 'file')} out of date`] : []),
    ...(foreign.length > 0 ? [describe(foreign, 'not owned by drover')] : []),
    ...(sentinel === 'missing' ? [`${sentinelPath(host)} is missing`] : []),
  ]
  if (lacks.length === 0) return undefined
  // A refresh alone does not change files that drover does not own.
  const first = foreign.length > 0 ? 'move away the files that you do not need, then ' : ''
  return ADAPTER.adapter_refresh_required({
    host: host.id,
    detail: lacks.join('; '),
    todo: `${first}${refreshing(host)}`,
  })
}

function assessContents(host: Host, { files }: Installed): Finding | undefined {
  const changed = standingAs(files, 'modified', 'missing')
  if (changed.length === 0) return undefined
  const todo = `${refreshing(host)}, which restores missing files and keeps edited ones`
  return ADAPTER.adapter_modified({ host: host.id, detail: describe(changed, 'edited or missing'), todo })
}

function standingAs(files: Installed['files'], ...standings: FileStatus[]): string[] {
  return files.filter(({ status }) => standings.includes(status)).map(({ path }) => path)
}

function describe(paths: readonly string[], problem: string): string {
  return `${count(paths.length, 'file')} ${problem}: ${paths.join(', ')}`
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun} is` : `${number} ${noun}s are`
}

function installing(host: Host): string {
  return `run drover hosts install --tool ${host.id}${host.surfaces.length === 0 ? '' : ` --surface ${host.surfaces.join('|')}`}`
}

function refreshing(host: Host): string {
  return `run drover hosts install --tool ${host.id} --refresh`
}
