import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uninstallFailed } from '../../src/hosts/faults.ts'
import type { FoundFile } from '../../src/hosts/found-files.ts'
import { type Host, manifestPath, type Surface, sentinelPath } from '../../src/hosts/host.ts'
import { type EarlierFile, generatedFiles, HOSTS, listPaths } from '../../src/hosts/hosts.ts'
import { readOwnership, writeOwnership } from '../../src/hosts/manifest.ts'
import type { Plan } from '../../src/hosts/plan/plan.ts'
import { planInstall } from '../../src/hosts/plan/plan-install.ts'
import { planUninstall } from '../../src/hosts/plan/plan-uninstall.ts'
import { type Digest, digest } from '../../src/kit/digest.ts'
import { Fault } from '../../src/kit/fault.ts'
import { runsOf } from '../support/full-counts.ts'
import { findFiles, follow, type HostTree, regular } from '../support/host-tree.ts'

const formerText = (path: string) => `as an earlier release wrote ${path}\n`

/** Every host has a past: each file was something else once, and there was one more. */
const EARLIER: readonly EarlierFile[] = HOSTS.flatMap((host) =>
  [...listPaths(host, []).slice(2), retiredPath(host)].map((path) => ({
    host: host.id,
    path,
    digest: digest(formerText(path)),
    release: '0.0.9',
  })),
)

function retiredPath(host: Host): string {
  return `${host.ownershipRoot}/drover/retired.md`
}

type Repository = { host: Host; surface: Surface | undefined; tree: HostTree }

type FileState = {
  found: 'absent' | 'current' | 'earlier' | 'foreign' | 'odd'
  claim: 'none' | 'current' | 'earlier' | 'bogus'
}

const anyFileState: fc.Arbitrary<FileState> = fc.record({
  found: fc.constantFrom('absent', 'current', 'earlier', 'foreign', 'odd'),
  claim: fc.constantFrom('none', 'current', 'current', 'earlier', 'bogus'),
})

const anySentinel = fc.constantFrom<FoundFile>({ is: 'absent' }, regular('generated\n'), regular('mine\n'), {
  is: 'symlink',
})

/** One host, in any state that its files can be in together. */
const anyRepository: fc.Arbitrary<Repository> = fc.constantFrom(...HOSTS).chain((host) =>
  fc
    .record({
      surface: host.surfaces.length === 0 ? fc.constant(undefined) : fc.constantFrom(...host.surfaces),
      states: fc.oneof(
        fc.array(anyFileState, { minLength: 16, maxLength: 16 }),
        // Mostly as drover left it, with a few files changed: what is really met.
        fc
          .array(fc.tuple(fc.nat(15), anyFileState), { maxLength: 3 })
          .map((some) =>
            Array.from(
              { length: 16 },
              (_, at) => some.find(([index]) => index === at)?.[1] ?? ({ found: 'current', claim: 'current' } as const),
            ),
          ),
      ),
      odd: fc.constantFrom<FoundFile>({ is: 'symlink' }, { is: 'directory' }, { is: 'other' }, { is: 'oversize' }),
      hasManifest: fc.boolean(),
      sentinel: anySentinel,
    })
    .map(({ surface, states, odd, hasManifest, sentinel }) => {
      const current = new Map(generatedFiles(host, surface).map(({ path, text }) => [path, text]))
      const paths = [...current.keys(), retiredPath(host)]
      const stateAt = (index: number) => states[index] ?? { found: 'absent', claim: 'none' }
      const files = paths.map((path, index): [string, FoundFile] => {
        const { found } = stateAt(index)
        if (found === 'absent') return [path, { is: 'absent' }]
        if (found === 'odd') return [path, odd]
        const text = found === 'current' ? current.get(path) : found === 'earlier' ? formerText(path) : undefined
        return [path, regular(text ?? `mine: ${path}\n`)]
      })
      const claims = new Map(
        paths.flatMap((path, index): [string, Digest][] => {
          const { claim } = stateAt(index)
          if (claim === 'none') return []
          const text = claim === 'current' ? current.get(path) : claim === 'earlier' ? formerText(path) : undefined
          return [[path, digest(text ?? 'bogus')]]
        }),
      )
      const manifest = regular(writeOwnership(host, { surface, claims }))
      const all: [string, FoundFile][] = [...files, [sentinelPath(host), sentinel]]
      if (hasManifest) all.push([manifestPath(host), manifest])
      return { host, surface, tree: new Map(all.filter(([, file]) => file.is !== 'absent')) }
    }),
)

function claimsIn({ host, tree }: Repository): ReadonlyMap<string, Digest> {
  const manifest = tree.get(manifestPath(host))
  if (manifest?.is !== 'regular') return new Map()
  const ownership = readOwnership(host, manifest.bytes, EARLIER)
  if ('problem' in ownership) throw new Error(ownership.problem)
  return ownership.claims
}

/** Whether drover wrote these bytes at this path, now or in an earlier release. */
function wrote({ host, surface }: Repository, path: string, content: Digest): boolean {
  const current = generatedFiles(host, surface).some((file) => file.path === path && digest(file.text) === content)
  return current || EARLIER.some((file) => file.host === host.id && file.path === path && file.digest === content)
}

const isOwn = ({ host }: Repository, path: string) => path === manifestPath(host) || path === sentinelPath(host)

function install({ host, surface, tree }: Repository): Plan {
  const hosts = [host]
  const request = { hosts, isExplicit: true, surface, isRefresh: true, earlier: EARLIER }
  return planInstall({ ...request, found: findFiles(tree, hosts, EARLIER) })
}

/** They keep the file that lets only a person start a skill as long as the skill is there. */
const SKILLS_HOSTS: readonly string[] = ['agents', 'codex']

/** Undefined where it is refused, which changes nothing. */
function uninstall({ host, tree }: Repository): Plan | undefined {
  try {
    return planUninstall({ hosts: [host], found: findFiles(tree, [host], EARLIER), earlier: EARLIER })
  } catch (error) {
    if (error instanceof Fault && error.code === uninstallFailed.code && SKILLS_HOSTS.includes(host.id))
      return undefined
    throw error
  }
}

const OPERATIONS = { refreshing: install, uninstalling: uninstall }

describe.each(Object.entries(OPERATIONS))('%s, whatever is found', (_, operation) => {
  it('replaces and removes only files that are claimed and that drover wrote', () => {
    fc.assert(
      fc.property(anyRepository, (repository) => {
        const claims = claimsIn(repository)
        for (const step of operation(repository)?.steps ?? []) {
          if (step.do === 'create') expect(repository.tree.has(step.path)).toBe(false)
          if ((step.do !== 'replace' && step.do !== 'remove') || isOwn(repository, step.path)) continue
          expect(claims.has(step.path)).toBe(true)
          expect(wrote(repository, step.path, step.expects)).toBe(true)
          expect(wrote(repository, step.path, claims.get(step.path) as Digest)).toBe(true)
        }
      }),
      { numRuns: runsOf(150) },
    )
  })

  it('changes only the files that it names, and can be carried out', () => {
    fc.assert(
      fc.property(anyRepository, (repository) => {
        const plan = operation(repository)
        if (plan === undefined) return
        const after = follow(repository.tree, plan)
        const named = new Set(plan.steps.map(({ path }) => path))
        for (const [path, file] of repository.tree) if (!named.has(path)) expect(after.get(path)).toBe(file)
        for (const { path } of plan.preserved) expect(after.get(path)).toBe(repository.tree.get(path))
      }),
      { numRuns: runsOf(150) },
    )
  })

  it('has nothing left to do afterwards', () => {
    fc.assert(
      fc.property(anyRepository, (repository) => {
        const plan = operation(repository)
        if (plan === undefined) return
        const again = operation({ ...repository, tree: follow(repository.tree, plan) })
        expect(again?.steps).toEqual([])
      }),
      { numRuns: runsOf(150) },
    )
  })
})

describe('refreshing, whatever is found', () => {
  it('leaves no callable of drover on a support that is not', () => {
    fc.assert(
      fc.property(anyRepository, (repository) => {
        const after = { ...repository, tree: follow(repository.tree, install(repository)) }
        const claims = claimsIn(after)
        const files = generatedFiles(repository.host, repository.surface)
        for (const callable of files.filter(({ role, path }) => role === 'callable' && claims.has(path))) {
          for (const { path, text } of files.filter(({ capability }) => capability === callable.capability)) {
            expect(claims.get(path)).toBe(digest(text))
            expect(after.tree.get(path)).toMatchObject({ digest: digest(text) })
          }
        }
      }),
      { numRuns: runsOf(150) },
    )
  })

  it('claims exactly what is there as this release generates it', () => {
    fc.assert(
      fc.property(anyRepository, (repository) => {
        const after = { ...repository, tree: follow(repository.tree, install(repository)) }
        const texts = new Map(generatedFiles(repository.host, repository.surface).map(({ path, text }) => [path, text]))
        for (const [path, claim] of claimsIn(after)) {
          expect(claim).toBe(digest(texts.get(path) ?? ''))
          expect(after.tree.get(path)).toMatchObject({ digest: claim })
        }
      }),
      { numRuns: runsOf(150) },
    )
  })
})
