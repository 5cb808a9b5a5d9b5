import { describe, expect, it } from 'vitest'
import { changed, findFiles, follow, type HostTree, hostOf, regular, textAt } from '../../../test/support/host-tree.ts'
import { checkListReport } from '../../contract/reports.ts'
import { digest } from '../../kit/digest.ts'
import { CAPABILITY_NAMES } from '../capabilities.ts'
import type { FoundFile } from '../found-files.ts'
import { manifestPath, sentinelPath } from '../host.ts'
import { generatedFiles } from '../hosts.ts'
import { writeOwnership } from '../manifest.ts'
import { planInstall } from '../plan/plan-install.ts'
import { toHostStatus } from './list-hosts.ts'

const kilo = hostOf('kilo')

const mine = regular('mine\n')
const BODY = '.kilocode/drover/capabilities/drover-run.md'
const MANIFEST = manifestPath(kilo)
const SENTINEL = sentinelPath(kilo)
const whole = follow(
  new Map(),
  planInstall({ hosts: [kilo], isExplicit: true, isRefresh: false, found: findFiles(new Map(), [kilo]) }),
)
const WITHOUT_RUN = CAPABILITY_NAMES.slice(1)

function statusOf(tree: HostTree) {
  const directories = new Map(kilo.directories.map((path) => [path, { is: 'directory' } as const]))
  const status = toHostStatus(kilo, { files: findFiles(tree, [kilo]), directories })
  checkListReport({ contract_version: 2, hosts: [status] })
  return status
}

const claiming = (entries: Readonly<Record<string, string>>) => {
  const current = generatedFiles(kilo, undefined).map((file) => [file.path, digest(file.text)] as const)
  const claims = new Map([...current, ...Object.entries(entries).map(([path, text]) => [path, digest(text)] as const)])
  return regular(writeOwnership(kilo, { surface: undefined, claims }))
}

const status = { id: 'kilo', detected: true }
const not = { ...status, installed: false, needs_refresh: false, capabilities: [] }
const well = { ...status, installed: true, needs_refresh: false, capabilities: CAPABILITY_NAMES }
const unwell = { ...well, needs_refresh: true }

describe('the status of a host', () => {
  it.each<[string, Readonly<Record<string, FoundFile | undefined>>, object]>([
    ['no manifest', { [MANIFEST]: undefined, [SENTINEL]: undefined }, not],
    [
      'no manifest, and a file that cannot be looked at',
      { [MANIFEST]: undefined, [SENTINEL]: undefined, [BODY]: { is: 'unreadable', reason: 'EIO' } },
      { ...not, warning: `${BODY} cannot be inspected: EIO` },
    ],
    [
      'a manifest behind a link',
      { [MANIFEST]: { is: 'unreachable', reason: 'a link' }, [SENTINEL]: { is: 'unreachable', reason: 'a link' } },
      { ...not, warning: `${MANIFEST} cannot be inspected: a link` },
    ],
    ['a sentinel alone', { [MANIFEST]: undefined }, not],
    [
      'a manifest that cannot be believed',
      { [MANIFEST]: mine },
      { ...not, warning: expect.stringContaining(MANIFEST) },
    ],
    [
      'a file that cannot be looked at',
      { [BODY]: { is: 'unreadable', reason: 'EIO' } },
      { ...well, capabilities: [], warning: `${BODY} cannot be inspected: EIO` },
    ],
    ['everything as it should be', {}, well],
    ['a file missing', { [BODY]: undefined }, { ...unwell, capabilities: WITHOUT_RUN }],
    ['a file modified', { [BODY]: mine }, { ...unwell, capabilities: WITHOUT_RUN }],
    ['a file that is a link', { [BODY]: { is: 'symlink' } }, { ...unwell, capabilities: WITHOUT_RUN }],
    [
      'the line ends of a file changed',
      { [BODY]: regular((textAt(whole, BODY) ?? '').replaceAll('\n', '\r\n')) },
      {
        ...unwell,
        capabilities: WITHOUT_RUN,
        warning:
          '1 file has converted line endings and no other change; git does that with core.autocrlf; "drover doctor" says how to prevent that',
      },
    ],
    ['the sentinel missing', { [SENTINEL]: undefined }, unwell],
    ['the sentinel modified', { [SENTINEL]: mine }, unwell],
    [
      'a stale claim',
      { [MANIFEST]: claiming({ [BODY]: 'mine\n' }), [BODY]: mine },
      {
        ...unwell,
        capabilities: WITHOUT_RUN,
        warning: '1 file is claimed with content that no release of drover up to this one generated',
      },
    ],
    [
      'nothing claimed',
      { [MANIFEST]: regular(writeOwnership(kilo, { surface: undefined, claims: new Map() })) },
      { ...unwell, capabilities: [] },
    ],
  ])('with %s', (_, entries, expected) => {
    expect(statusOf(changed(whole, entries))).toEqual(expected)
  })

  it('tells whether it is detected, by one directory of several', () => {
    const files = findFiles(new Map(), [kilo])
    const one = new Map([
      ['.kilo', { is: 'absent' } as const],
      ['.kilocode', { is: 'directory' } as const],
    ])
    const none = new Map(kilo.directories.map((path) => [path, { is: 'unreadable', reason: 'EACCES' } as const]))
    expect(toHostStatus(kilo, { files, directories: one }).detected).toBe(true)
    expect(toHostStatus(kilo, { files, directories: none })).toEqual({ ...not, detected: false })
  })
})
