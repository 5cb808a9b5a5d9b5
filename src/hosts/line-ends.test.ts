import { describe, expect, it } from 'vitest'
import { changed, findFiles, follow, type HostTree, hostOf, regular, textAt } from '../../test/support/host-tree.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { type Host, sentinelPath } from './host.ts'
import { HOSTS, listSurfaces } from './hosts.ts'
import { attributesFor, convertedFiles, describeConverted, type Installed, inspectHost } from './inspect-host.ts'
import { planInstall } from './plan/plan-install.ts'

const claude = hostOf('claude')

const RUN = '.claude/skills/drover-run/SKILL.md'
const SENTINEL = sentinelPath(claude)

function installed(host: Host, surface = listSurfaces(host)[0]): HostTree {
  const found = findFiles(new Map(), [host])
  return follow(new Map(), planInstall({ hosts: [host], isExplicit: true, isRefresh: false, surface, found }))
}

function inspect(host: Host, tree: HostTree): Installed {
  const inspection = inspectHost(host, findFiles(tree, [host]))
  if (inspection.is !== 'installed') throw new Error(`it is ${inspection.is}`)
  return inspection
}

const converted = (tree: HostTree) => convertedFiles(claude, inspect(claude, tree), findFiles(tree, [claude]))
const whole = installed(claude)
const withReturns = (path: string) => regular((textAt(whole, path) ?? '').replaceAll('\n', '\r\n'))

describe('files with other line ends', () => {
  it('are not found right after an installation', () => {
    expect(converted(whole)).toEqual([])
  })

  it('are all files if git has converted all', () => {
    const tree = new Map([...whole.keys()].map((path) => [path, withReturns(path)]))
    expect([...converted(tree)].sort()).toEqual([...whole.keys()].filter((path) => !path.endsWith('.json')).sort())
  })

  it.each([
    ['the sentinel alone', { [SENTINEL]: withReturns(SENTINEL) }, [SENTINEL]],
    ['a file alone', { [RUN]: withReturns(RUN) }, [RUN]],
    ['a file, beside one that is missing', { [RUN]: withReturns(RUN), [SENTINEL]: undefined }, [RUN]],
    ['none, when another was edited', { [RUN]: withReturns(RUN), [SENTINEL]: regular('mine\n') }, []],
    ['none, when something else was edited too', { [RUN]: regular(`mine\r\n${textAt(whole, RUN)}`) }, []],
    ['none, when a CR stands alone', { [RUN]: regular(`${textAt(whole, RUN)}\r`) }, []],
    ['none, when a link took its place', { [RUN]: { is: 'symlink' } as const }, []],
  ])('are %s', (_name, entries, paths) => {
    expect(converted(changed(whole, entries))).toEqual(paths)
  })

  it.each([
    [1, '1 file has converted line endings'],
    [2, '2 files have converted line endings'],
  ])('are counted: %i', (count, words) => {
    expect(describeConverted(Array.from({ length: count }, String))).toContain(words)
  })
})

describe('the lines for .gitattributes', () => {
  it.each(HOSTS.flatMap((host) => listSurfaces(host).map((surface) => ({ host, surface, id: host.id }))))(
    'keep git from converting what drover installs into $id ($surface), and nothing else of it',
    ({ host, surface }) => {
      const tree = installed(host, surface)
      const repository = createRepository()
      const paths = [...tree.keys()]
      const [directory = ''] = host.directories
      const others = [`${directory}/settings.json`, `${directory}/skills/mine/SKILL.md`, 'drover/mine.md']
      repository.write('.gitattributes', `${attributesFor(host, inspect(host, tree)).join('\n')}\n`)
      const said = repository
        .git('check-attr', 'eol', '--', ...paths, ...others)
        .trim()
        .split('\n')
      expect(said).toEqual([
        ...paths.map((path) => `${path}: eol: lf`),
        ...others.map((path) => `${path}: eol: unspecified`),
      ])
    },
  )

  it('are few', () => {
    expect(attributesFor(claude, inspect(claude, whole))).toEqual([
      '.claude/skills/drover-*/** text eol=lf',
      '.claude/drover/** text eol=lf',
    ])
  })
})
