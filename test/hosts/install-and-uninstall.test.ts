/** Install, refresh, edit, refresh, uninstall, in real repositories: bytes compared, and nothing else touched. */

import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Host, manifestPath, type Surface, sentinelPath } from '../../src/hosts/host.ts'
import { generatedFiles, HOSTS } from '../../src/hosts/hosts.ts'
import { listHosts } from '../../src/hosts/list/list-hosts.ts'
import { firstOf } from '../support/full-counts.ts'
import { createHostWorktree, type HostWorktree, install, uninstall } from '../support/host-worktree.ts'
import { createRepository } from '../support/temporary-repository.ts'

type Case = { name: string; hosts: readonly Host[]; surface: Surface | undefined }

const CASES = HOSTS.flatMap((host): Case[] =>
  host.surfaces.length === 0
    ? [{ name: host.id, hosts: [host], surface: undefined }]
    : host.surfaces.map((surface) => ({ name: `${host.id} ${surface}`, hosts: [host], surface })),
)
const ALL: readonly Case[] = [{ name: 'all', hosts: HOSTS, surface: 'ide' }, ...CASES]

function openRepository(hosts: readonly Host[]) {
  const repository = createRepository()
  repository.write('README.md', 'Mine\n')
  for (const host of hosts) repository.write(`${host.directories[0]}/mine.md`, 'Mine as well\n')
  repository.commit()
  return { repository, site: createHostWorktree(repository.root) }
}

/** When each file was last written, by whom it cannot be. */
function writtenAt(site: HostWorktree): Record<string, string> {
  const paths = Object.keys(site.tree())
  const stamp = (path: string) => {
    const { ino, mtimeNs, ctimeNs } = lstatSync(join(site.root, path), { bigint: true })
    return `${ino} ${mtimeNs} ${ctimeNs}`
  }
  return Object.fromEntries(paths.map((path) => [path, stamp(path)]))
}

function contentOf({ root }: HostWorktree, path: string) {
  return { path, text: readFileSync(join(root, path), 'utf8'), mode: lstatSync(join(root, path)).mode & 0o777 }
}

const ownPaths = (hosts: readonly Host[]) => hosts.flatMap((host) => [manifestPath(host), sentinelPath(host)])
const filesOf = (hosts: readonly Host[], surface: Surface | undefined) =>
  hosts.flatMap((host) => generatedFiles(host, host.surfaces.length === 0 ? undefined : surface))

describe.each(firstOf(ALL, 3))('$name', ({ hosts, surface }) => {
  const tools: readonly string[] = hosts.map(({ id }) => id)
  const wishes = surface === undefined ? {} : { surface }
  const generated = filesOf(hosts, surface)

  it('is installed with the bytes that drover generates and nothing else', async () => {
    const { repository, site } = openRepository(hosts)
    const { report } = await install(site, tools, { ...wishes, isRefresh: false })
    const expected = [...generated.map(({ path }) => path), ...ownPaths(hosts)].sort()
    expect(report).toMatchObject({ transaction_outcome: 'committed', written: expected, removed: [], warnings: [] })
    expect(repository.git('status', '--porcelain', '--untracked-files=all').trim().split('\n').sort()).toEqual(
      expected.map((path) => `?? ${path}`),
    )
    for (const { path, text } of generated) expect(contentOf(site, path)).toEqual({ path, text, mode: 0o644 })
    for (const path of ownPaths(hosts)) expect(contentOf(site, path).mode).toBe(0o600)
  })

  it('is not written to by a second install or a refresh', async () => {
    const { site } = openRepository(hosts)
    await install(site, tools, wishes)
    const before = writtenAt(site)
    for (const isRefresh of [false, true]) {
      const { report, plan } = await install(site, tools, { isRefresh })
      expect(report).toMatchObject({ transaction_outcome: 'committed', written: [], removed: [], preserved: [] })
      expect(plan.steps).toEqual([])
    }
    expect(writtenAt(site)).toEqual(before)
  })

  it('keeps edited files through refresh and uninstall, and removes all others', async () => {
    const { repository, site } = openRepository(hosts)
    const before = site.tree()
    await install(site, tools, wishes)
    const edited = hosts.map((host) => callableOf(host, surface))
    for (const path of edited) site.write(path, 'Mine now\n')
    const refreshed = await install(site, tools)
    expect(refreshed.report.preserved).toEqual([...edited].sort())
    expect(refreshed.report.written).toEqual(hosts.map(manifestPath).sort())
    const skills = hosts.filter(({ id }) => id === 'agents' || id === 'codex')
    const guards = skills.map(({ id }) => `.${id}/skills/drover-run/agents/openai.yaml`)
    const { report } = await uninstall(site, tools)
    expect(report).toMatchObject({ transaction_outcome: 'committed', preserved: guards })
    expect(repository.git('status', '--porcelain', '--untracked-files=all').trim().split('\n').sort()).toEqual(
      [...edited, ...guards].sort().map((path) => `?? ${path}`),
    )
    for (const path of edited) expect(contentOf(site, path)).toEqual({ path, text: 'Mine now\n', mode: 0o644 })
    expect(site.tree()).toMatchObject(before)
  })

  it('leaves no folder after an uninstall', async () => {
    const { site } = openRepository(hosts)
    const before = { tree: site.tree(), written: writtenAt(site) }
    await install(site, tools, wishes)
    const { report } = await uninstall(site, tools)
    expect(report.removed).toEqual([...generated.map(({ path }) => path), ...ownPaths(hosts)].sort())
    expect(site.tree()).toEqual(before.tree)
    expect(writtenAt(site)['README.md']).toBe(before.written['README.md'])
  })

  it('is listed with its current status after every step', async () => {
    const { site } = openRepository(hosts)
    const status = async () => (await listHosts(site.workspace)).hosts.filter(({ id }) => tools.includes(id))
    const all = { detected: true, warning: undefined }
    for (const host of await status()) expect(host).toMatchObject({ installed: false, capabilities: [] })
    await install(site, tools, wishes)
    for (const host of await status())
      expect({ ...all, ...host }).toMatchObject({ ...all, installed: true, needs_refresh: false })
    for (const { capabilities } of await status()) expect(capabilities).toHaveLength(7)
    for (const host of hosts) site.write(callableOf(host, surface), 'Mine now\n')
    for (const host of await status()) expect(host).toMatchObject({ installed: true, needs_refresh: true })
    for (const { capabilities } of await status()) expect(capabilities).toHaveLength(6)
  })
})

function callableOf(host: Host, surface: Surface | undefined): string {
  const file = filesOf([host], surface).find(
    ({ role, capability }) => role === 'callable' && capability === 'drover-run',
  )
  return file?.path ?? ''
}
