/** What uninstalling does to the files of hosts: decided from what was found, all hosts together. */
import { digest } from '../../kit/digest.ts'
import { uninstallFailed } from '../faults.ts'
import type { FoundFiles } from '../found-files.ts'
import { type Host, manifestPath, SENTINEL, sentinelPath } from '../host.ts'
import { EARLIER_FILES, type EarlierFile } from '../hosts.ts'
import {
  describeMarkerOnly,
  type InspectedFile,
  type Installed,
  inspectHost,
  MANIFEST_REMEDY,
} from '../inspect-host.ts'
import { emptiedDirectories, joinPlans, onlyWarn, type Plan, type Step, toChangeReport } from './plan.ts'
import { preserveSentinel } from './plan-files.ts'
import { because, expected, preserve, sayStale } from './preserve.ts'

export type UninstallRequest = {
  /** In the order of the registry; those that are not installed contribute nothing. */
  readonly hosts: readonly Host[]
  readonly found: FoundFiles
  readonly earlier?: readonly EarlierFile[]
}

export function planUninstall({ hosts, found, earlier = EARLIER_FILES }: UninstallRequest): Plan {
  const plans: Plan[] = []
  for (const host of hosts) {
    const plan = planHost(host, found, earlier)
    if ('problem' in plan) {
      throw uninstallFailed({ ...plan, report: toChangeReport(joinPlans(plans), { outcome: 'not_committed' }) })
    }
    plans.push(plan)
  }
  return joinPlans(plans)
}

function planHost(host: Host, found: FoundFiles, earlier: readonly EarlierFile[]): Plan | { problem: string } {
  const inspection = inspectHost(host, found, earlier)
  switch (inspection.is) {
    case 'absent':
      return onlyWarn(host, inspection.blocked)
    case 'marker_only':
      return onlyWarn(host, describeMarkerOnly(host))
    case 'unreadable':
      return { problem: `${inspection.problem}; ${MANIFEST_REMEDY}` }
    case 'installed':
      return inspection.blocked === undefined ? planInstalled(host, inspection) : { problem: inspection.blocked }
  }
}

function planInstalled(host: Host, installed: Installed): Plan | { problem: string } {
  const files = installed.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const guards = guardsOf(files)
  const unsafe = guards.find(({ isWhole }) => !isWhole)
  if (unsafe !== undefined) return { problem: sayUnguarded(unsafe) }
  const isGuard = ({ path }: InspectedFile) => guards.some(({ policy }) => policy.path === path)
  const removed = files.filter((file) => isOurs(file) && !isGuard(file))
  const steps: Step[] = [
    ...removed.map(({ path, found }): Step => ({ do: 'remove', path, expects: expected(found) })),
    { do: 'remove', path: manifestPath(host), expects: installed.manifest },
  ]
  if (installed.sentinel === 'whole') {
    steps.push({ do: 'remove', path: sentinelPath(host), expects: digest(SENTINEL) })
  }
  const verified = guards.map(
    ({ policy }): Step => ({ do: 'verify', path: policy.path, expects: expected(policy.found) }),
  )
  const sentinel = preserveSentinel({ host, sentinel: installed.sentinel }).preserved
  return {
    hosts: [host.id],
    steps: [...steps, ...verified, ...emptiedDirectories(steps)],
    preserved: [
      ...files.filter(isChanged).map(preserve),
      ...guards.map(({ policy }) => ({ path: policy.path, because: because.guards })),
      ...(sentinel === undefined ? [] : [sentinel]),
    ],
    warnings: [
      ...files.filter(({ standing }) => standing === 'stale').map((file) => sayStale(host, file)),
      ...guards.map((guard) => sayGuarded(host, guard)),
    ],
  }
}

function isOurs({ standing }: InspectedFile): boolean {
  return standing === 'pristine' || standing === 'earlier'
}

/** It was claimed once, so its owner may wonder why it is still there. */
function isChanged({ standing }: InspectedFile): boolean {
  return standing === 'modified' || standing === 'stale'
}

/** A policy whose skill stays. Without it the host could call the skill unasked. */
type Guard = { readonly policy: InspectedFile; readonly skill: InspectedFile; readonly isWhole: boolean }

function guardsOf(files: readonly InspectedFile[]): Guard[] {
  return files
    .filter(({ file }) => file?.role === 'policy')
    .flatMap((policy) => {
      const skill = files.find(({ file }) => file?.role === 'callable' && file.capability === policy.file?.capability)
      const stays = skill !== undefined && (isChanged(skill) || skill.standing === 'unclaimed')
      if (!stays || isNeitherOurs(policy, skill)) return []
      return [{ policy, skill, isWhole: isOurs(policy) || isAsGenerated(policy) }]
    })
}

/** Then uninstalling changes nothing about the pair. */
function isNeitherOurs(policy: InspectedFile, skill: InspectedFile): boolean {
  return policy.standing === 'unclaimed' && skill.standing === 'unclaimed'
}

function isAsGenerated({ found, file }: InspectedFile): boolean {
  return found.is === 'regular' && file !== undefined && found.digest === digest(file.text)
}

function sayUnguarded({ policy, skill }: Guard): string {
  const mending = policy.standing === 'missing' ? 'run' : 'remove the policy and run'
  return `${skill.path} is not drover's to remove, and ${policy.path}, which keeps it from being called unasked, is ${policy.standing}; remove the skill, or ${mending} drover install --refresh --tool codex, then try again`
}

function sayGuarded(host: Host, { policy, skill }: Guard): string {
  return `${host.id}: ${skill.file?.capability} is not removed altogether: ${skill.path} is not drover's to remove, and ${policy.path} stays to keep it from being called unasked`
}
