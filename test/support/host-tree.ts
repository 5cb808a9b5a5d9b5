/** The files of a repository in memory, to make plans from and to apply them to. */

import type { FoundFile, FoundFiles } from '../../src/hosts/found-files.ts'
import type { Host, HostId } from '../../src/hosts/host.ts'
import { EARLIER_FILES, type EarlierFile, findHost, listPaths } from '../../src/hosts/hosts.ts'
import type { Plan } from '../../src/hosts/plan/plan.ts'
import { digest } from '../../src/kit/digest.ts'

/** Paths that are not in it are absent. */
export type HostTree = ReadonlyMap<string, FoundFile>

export function regular(text: string): FoundFile & { is: 'regular' } {
  const bytes = Buffer.from(text)
  return { is: 'regular', bytes, digest: digest(bytes), mode: 0o644 }
}

export function treeOf(texts: Readonly<Record<string, string>>): HostTree {
  return new Map(Object.entries(texts).map(([path, text]) => [path, regular(text)]))
}

/** The tree with these entries replaced; undefined removes one. */
export function changed(tree: HostTree, entries: Readonly<Record<string, FoundFile | undefined>>): HostTree {
  const merged = new Map<string, FoundFile | undefined>([...tree, ...Object.entries(entries)])
  return new Map([...merged].flatMap(([path, file]) => (file === undefined ? [] : [[path, file]])))
}

export function textAt(tree: HostTree, path: string): string | undefined {
  const file = tree.get(path)
  return file?.is === 'regular' ? Buffer.from(file.bytes).toString() : undefined
}

export function findFiles(
  tree: HostTree,
  hosts: readonly Host[],
  earlier: readonly EarlierFile[] = EARLIER_FILES,
): FoundFiles {
  const paths = hosts.flatMap((host) => listPaths(host, earlier))
  return new Map(paths.map((path) => [path, tree.get(path) ?? { is: 'absent' }]))
}

/** The tree after the plan; throws where a step does not find what it expects. */
export function follow(tree: HostTree, plan: Plan): HostTree {
  const after = new Map(tree)
  for (const step of plan.steps) {
    if (step.do === 'remove_directory') continue
    const there = after.get(step.path)
    const expects = step.do === 'create' ? undefined : step.expects
    const finds = there?.is === 'regular' ? there.digest : there?.is
    if (finds !== expects) throw new Error(`${step.do} ${step.path}: expects ${expects}, finds ${finds}`)
    if (step.do === 'remove') after.delete(step.path)
    else if (step.do !== 'verify') after.set(step.path, regular(step.text))
  }
  return after
}

export function hostOf(id: HostId): Host {
  const host = findHost(id)
  if (host === undefined) throw new TypeError(`no host ${id}`)
  return host
}
