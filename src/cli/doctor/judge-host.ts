/** What doctor says about one host. Pure. */
import type { Standing } from '../../hosts/classify-file.ts'
import { foundAt } from '../../hosts/found.ts'
import { type Host, manifestPath, sentinelPath } from '../../hosts/host.ts'
import { type Installed, inspectHost, MANIFEST_REMEDY } from '../../hosts/inspect-host.ts'
import { attributesFor, convertedFiles, sayConverted } from '../../hosts/line-ends.ts'
import { sayMarkerOnly } from '../../hosts/marker-only.ts'
import type { FoundHosts } from '../../hosts/read-hosts.ts'
import { pathsOf } from '../../hosts/registry.ts'
import { isDetected } from '../../hosts/select-hosts.ts'
import { defineCheck, type Finding } from './check.ts'

const ADAPTER = { group: 'Hosts', name: 'adapter' } as const

export const adapterManifestUnreadable = defineCheck({
  ...ADAPTER,
  code: 'adapter_manifest_unreadable',
  name: 'manifest',
  status: 'error',
  means: 'The manifest that tells which files of the host are drover’s cannot be believed, so none is touched.',
  todo: MANIFEST_REMEDY,
})

export const adapterNotDetected = defineCheck({
  ...ADAPTER,
  code: 'adapter_not_detected',
  status: 'ok',
  means: 'The repository does not use the host.',
})

export const adapterNotInstalled = defineCheck({
  ...ADAPTER,
  code: 'adapter_not_installed',
  status: 'warning',
  means: 'The repository uses the host, and drover is not installed for it.',
  todo: 'run drover install --tool HOST',
})

export const adapterInspectionUnavailable = defineCheck({
  ...ADAPTER,
  code: 'adapter_inspection_unavailable',
  name: 'adapter inspection',
  status: 'error',
  means: 'A file of the host cannot be looked at.',
  todo: 'mend that and run drover doctor again',
})

export const adapterModified = defineCheck({
  ...ADAPTER,
  code: 'adapter_modified',
  status: 'warning',
  means: 'Files that drover generated were changed or are missing. Changed files are kept, whatever drover does.',
  todo: 'run drover install --tool HOST --refresh, which makes missing files again',
})

export const adapterRefreshRequired = defineCheck({
  ...ADAPTER,
  code: 'adapter_refresh_required',
  status: 'warning',
  means: 'The files of the host are not those that this drover generates.',
  todo: 'run drover install --tool HOST --refresh',
})

export const adapterHealthy = defineCheck({
  ...ADAPTER,
  code: 'adapter_healthy',
  status: 'ok',
  means: 'Every file that drover generates for the host is there and unchanged.',
})

export function judgeHost(host: Host, found: FoundHosts): Finding {
  const inspection = inspectHost(host, found.files)
  switch (inspection.is) {
    case 'unreadable':
      return adapterManifestUnreadable({ host: host.id, detail: inspection.problem })
    case 'marker_only':
      return adapterNotInstalled({ host: host.id, detail: sayMarkerOnly(host), todo: undefined })
    case 'absent':
      return judgeAbsent(host, found, inspection.blocked)
    case 'installed':
      return judgeInstalled(host, inspection, found)
  }
}

function judgeAbsent(host: Host, { files, directories }: FoundHosts, blocked: string | undefined): Finding {
  if (!isDetected(host, directories)) {
    return adapterNotDetected({ host: host.id, detail: ['not used here', blocked].filter(Boolean).join(': ') })
  }
  if (blocked !== undefined) return adapterInspectionUnavailable({ host: host.id, detail: blocked })
  const own = [manifestPath(host), sentinelPath(host)]
  const unowned = pathsOf(host).filter((path) => !own.includes(path) && foundAt(files, path).is !== 'absent')
  if (unowned.length === 0) {
    return adapterNotInstalled({ host: host.id, detail: 'used here, without drover', todo: installing(host) })
  }
  const strays = unowned.length === 1 ? 'a file that nobody owns is' : `${unowned.length} files that nobody owns are`
  return adapterNotInstalled({
    host: host.id,
    detail: `used here, and ${strays} where drover puts its own: ${unowned.join(', ')}`,
    todo: `move what you do not need away, then ${installing(host)}; what stays is kept as it is`,
  })
}

/** The worst first: what a refresh cannot mend, then what it mends at a price, then what it simply mends. */
function judgeInstalled(host: Host, installed: Installed, found: FoundHosts): Finding {
  const { files, blocked } = installed
  if (blocked !== undefined) return adapterInspectionUnavailable({ host: host.id, detail: blocked })
  return (
    judgeLineEnds(host, installed, found) ??
    judgeSentinel(host, installed) ??
    judgeClaims(host, installed) ??
    judgeContents(host, installed) ??
    adapterHealthy({ host: host.id, detail: `${files.length} managed files` })
  )
}

/** Goes first: a refresh would take the files for edited ones, and give them up. */
function judgeLineEnds(host: Host, installed: Installed, { files }: FoundHosts): Finding | undefined {
  const converted = convertedFiles(host, installed, files)
  if (converted.length === 0) return undefined
  const lines = attributesFor(host, installed).map((line) => `"${line}"`)
  return adapterModified({
    host: host.id,
    detail: `${sayConverted(converted)}: ${converted.join(', ')}`,
    todo: `put ${lines.join(' and ')} into .gitattributes, delete these files, and ${refreshing(host)}, which makes them again`,
  })
}

function judgeSentinel(host: Host, { files, sentinel }: Installed): Finding | undefined {
  if (sentinel !== 'modified') return undefined
  const others = count(standingAs(files, 'modified', 'missing').length, 'other file')
  return adapterModified({
    host: host.id,
    detail: `${sentinelPath(host)} was changed, and ${others} changed or missing`,
    todo: `delete ${sentinelPath(host)} by hand, then ${refreshing(host)}`,
  })
}

function judgeClaims(host: Host, { files, sentinel }: Installed): Finding | undefined {
  const [stale, outdated, foreign] = [
    standingAs(files, 'stale'),
    standingAs(files, 'earlier', 'new'),
    standingAs(files, 'unclaimed'),
  ]
  if (stale.length > 0) {
    const detail = name(stale, 'claimed with bytes that no release of drover up to this one generated')
    const todo = `update drover if a newer one was here, or ${refreshing(host)}, which keeps the files and withdraws the claims`
    return adapterRefreshRequired({ host: host.id, detail, todo })
  }
  const lacks = [
    ...(outdated.length > 0 ? [`${count(outdated.length, 'file')} not as this release has it`] : []),
    ...(foreign.length > 0 ? [name(foreign, "somebody else's")] : []),
    ...(sentinel === 'missing' ? [`${sentinelPath(host)} is missing`] : []),
  ]
  if (lacks.length === 0) return undefined
  // What is not drover's stays as it is: a refresh alone would change nothing about it.
  const first = foreign.length > 0 ? 'move away what is not to be kept, then ' : ''
  return adapterRefreshRequired({ host: host.id, detail: lacks.join('; '), todo: `${first}${refreshing(host)}` })
}

function judgeContents(host: Host, { files }: Installed): Finding | undefined {
  const changed = standingAs(files, 'modified', 'missing')
  if (changed.length === 0) return undefined
  const todo = `${refreshing(host)}, which makes missing files again and keeps changed ones`
  return adapterModified({ host: host.id, detail: name(changed, 'changed or missing'), todo })
}

function standingAs(files: Installed['files'], ...standings: Standing[]): string[] {
  return files.filter(({ standing }) => standings.includes(standing)).map(({ path }) => path)
}

function name(paths: readonly string[], says: string): string {
  return `${count(paths.length, 'file')} ${says}: ${paths.join(', ')}`
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun} is` : `${number} ${noun}s are`
}

function installing(host: Host): string {
  return `run drover install --tool ${host.id}${host.surfaces.length === 0 ? '' : ` --surface ${host.surfaces.join('|')}`}`
}

function refreshing(host: Host): string {
  return `run drover install --tool ${host.id} --refresh`
}
