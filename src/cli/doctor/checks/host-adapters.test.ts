import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHostWorktree, type HostWorktree, install } from '../../../../test/support/host-worktree.ts'
import { HOSTS } from '../../../hosts/hosts.ts'
import { readHosts } from '../../../hosts/read-hosts.ts'
import { openWorktree, realTreeDisk } from '../../../hosts/worktree.ts'
import { assessHost } from './host-adapters.ts'

const claude = HOSTS.find(({ id }) => id === 'claude')
const MANIFEST = '.claude/drover/ownership-manifest.json'
const SENTINEL = '.claude/drover/.adapter-generated'
const RUN = '.claude/skills/drover-run/SKILL.md'
const REVIEW = '.claude/skills/drover-review/SKILL.md'

function assess(site: HostWorktree) {
  if (claude === undefined) throw new Error('there are hosts')
  using tree = openWorktree(site.root, realTreeDisk)
  const { kind, detail, todo } = assessHost(claude, readHosts([claude], tree))
  return { code: kind.code, detail, todo }
}

type Manifest = { files: { path: string; sha256: string }[] }

/** Edits the list of files in the manifest. */
function claim(site: HostWorktree, change: (files: Manifest['files']) => Manifest['files']): void {
  const manifest: Manifest = JSON.parse(site.tree()[MANIFEST]?.replace(/^600 /, '') ?? '')
  site.write(MANIFEST, JSON.stringify({ ...manifest, files: change(manifest.files) }))
}

const withStaleClaim = (site: HostWorktree) =>
  claim(site, (files) => files.map((file) => (file.path === RUN ? { ...file, sha256: '0'.repeat(64) } : file)))
const withoutClaim = (site: HostWorktree) => claim(site, (files) => files.filter(({ path }) => path !== RUN))
const remove = (site: HostWorktree, path: string) => rmSync(join(site.root, path))

const REFRESH = 'run drover hosts install --tool claude --refresh'

describe('an installed host', () => {
  it.each<[string, (site: HostWorktree) => void, string, string, string | undefined]>([
    ['that is unchanged', () => undefined, 'adapter_healthy', '8 managed files', undefined],
    [
      'with an edited and a missing file',
      (site) => {
        site.write(RUN, 'edited')
        remove(site, REVIEW)
      },
      'adapter_modified',
      `2 files are edited or missing: ${RUN}, ${REVIEW}`,
      `${REFRESH}, which restores missing files and keeps edited ones`,
    ],
    [
      'whose line ends git has converted',
      (site) => {
        for (const path of [RUN, SENTINEL]) {
          site.write(path, readFileSync(join(site.root, path), 'utf8').replaceAll('\n', '\r\n'))
        }
      },
      'adapter_modified',
      `2 files have converted line endings and no other change; git does that with core.autocrlf: ${RUN}, ${SENTINEL}`,
      `put ".claude/skills/drover-*/** text eol=lf" and ".claude/drover/** text eol=lf" into .gitattributes, delete these files, and ${REFRESH}, which restores them`,
    ],
    [
      'without its sentinel, and with an edited file',
      (site) => {
        site.write(RUN, 'edited')
        remove(site, SENTINEL)
      },
      'adapter_refresh_required',
      `${SENTINEL} is missing`,
      REFRESH,
    ],
    [
      'with a missing file that is not in the manifest',
      (site) => {
        withoutClaim(site)
        remove(site, RUN)
      },
      'adapter_refresh_required',
      '1 file is out of date',
      REFRESH,
    ],
    [
      'with a file that is not in the manifest',
      withoutClaim,
      'adapter_refresh_required',
      `1 file is not owned by drover: ${RUN}`,
      `move away the files that you do not need, then ${REFRESH}`,
    ],
    [
      'with unknown contents in the manifest and without its sentinel',
      (site) => {
        withStaleClaim(site)
        remove(site, SENTINEL)
      },
      'adapter_refresh_required',
      `1 file is listed in the manifest with contents that no known release of drover generated: ${RUN}`,
      `update drover if a newer one installed them, or ${REFRESH}, which keeps the files but no longer owns them`,
    ],
    [
      'with an edited sentinel and unknown contents in the manifest',
      (site) => {
        withStaleClaim(site)
        site.write(SENTINEL, 'edited')
      },
      'adapter_modified',
      `${SENTINEL} was edited, and 0 other files are edited or missing`,
      `delete ${SENTINEL} by hand, then ${REFRESH}`,
    ],
  ])('%s', async (_name, change, code, detail, todo) => {
    const site = createHostWorktree()
    await install(site, ['claude'])
    change(site)
    expect(assess(site)).toEqual({ code, detail, todo })
  })
})

describe('a host that is not installed', () => {
  it.each<[string, (site: HostWorktree) => void, string, string]>([
    ['and not used', () => undefined, 'adapter_not_detected', 'drover is not installed there'],
    [
      'whose directory is a link',
      (site) => symlinkSync('elsewhere', join(site.root, '.claude')),
      'adapter_not_detected',
      `drover is not installed there: ${MANIFEST} cannot be inspected: .claude is a symbolic link, and drover only changes files in real folders; replace it with a folder`,
    ],
    [
      'in whose directory is a link',
      (site) => {
        mkdirSync(join(site.root, '.claude'))
        symlinkSync('../elsewhere', join(site.root, '.claude/skills'))
      },
      'adapter_inspection_unavailable',
      '.claude/skills/drover-clarify/references/decision-interview.md cannot be inspected: .claude/skills is a symbolic link, and drover only changes files in real folders; replace it with a folder',
    ],
    [
      'and used',
      (site) => mkdirSync(join(site.root, '.claude')),
      'adapter_not_installed',
      'used here, but drover is not installed',
    ],
  ])('%s', (_name, change, code, detail) => {
    const site = createHostWorktree()
    change(site)
    expect(assess(site)).toMatchObject({ code, detail })
  })
})
