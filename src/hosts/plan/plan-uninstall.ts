/** Plans the removal of all selected hosts. Pure. */
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
import { emptiedDirectories, joinPlans, onlyWarn, type Plan, type PlanStep, toChangeReport } from './plan.ts'
import { because, describeStale, expected, preserve, preserveSentinel } from './plan-files.ts'

export type UninstallRequest = {
  /** In the order of the registry. Hosts that are not installed add no steps. */
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
  const guards = toGuards(files)
  const unsafe = guards.find(({ isWhole }) => !isWhole)
  if (unsafe !== undefined) return { problem: describeUnguarded(unsafe) }
  const isGuard = ({ path }: InspectedFile) => guards.some(({ policy }) => policy.path === path)
  const removed = files.filter((file) => isOurs(file) && !isGuard(file))
  const steps: PlanStep[] = [
    ...removed.map(({ path, found }): PlanStep => ({ do: 'remove', path, expects: expected(found) })),
    { do: 'remove', path: manifestPath(host), expects: installed.manifest },
  ]
  if (installed.sentinel === 'whole') {
    steps.push({ do: 'remove', path: sentinelPath(host), expects: digest(SENTINEL) })
  }
  const verified = guards.map(
    ({ policy }): PlanStep => ({ do: 'verify', path: policy.path, expects: expected(policy.found) }),
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
      ...files.filter(({ status }) => status === 'stale').map((file) => describeStale(host, file)),
      ...guards.map((guard) => describeGuarded(host, guard)),
    ],
  }
}

function isOurs({ status }: InspectedFile): boolean {
  return status === 'pristine' || status === 'earlier'
}

/** It was claimed once, so the report explains why it stays. */
function isChanged({ status }: InspectedFile): boolean {
  return status === 'modified' || status === 'stale'
}

/** A policy whose skill stays. Without it the agent could call the skill on its own. */
type Guard = { readonly policy: InspectedFile; readonly skill: InspectedFile; readonly isWhole: boolean }

function toGuards(files: readonly InspectedFile[]): Guard[] {
  return files
    .filter(({ file }) => file?.role === 'policy')
    .flatMap((policy) => {
      const skill = files.find(({ file }) => file?.role === 'callable' && file.capability === policy.file?.capability)
      const stays = skill !== undefined && (isChanged(skill) || skill.status === 'unclaimed')
      if (!stays || isNeitherOurs(policy, skill)) return []
      return [{ policy, skill, isWhole: isOurs(policy) || isAsGenerated(policy) }]
    })
}

/** Then uninstalling does not change the pair. */
function isNeitherOurs(policy: InspectedFile, skill: InspectedFile): boolean {
  return policy.status === 'unclaimed' && skill.status === 'unclaimed'
}

function isAsGenerated({ found, file }: InspectedFile): boolean {
  return found.is === 'regular' && file !== undefined && found.digest === digest(file.text)
}

function describeUnguarded({ policy, skill }: Guard): string {
  const repair = policy.status === 'missing' ? 'run' : 'remove the policy and run'
  return `${skill.path} does not belong to drover, and ${policy.path}, which keeps the agent from calling it on its own, is ${policy.status}; remove the skill, or ${repair} drover hosts install --refresh --tool codex, then try again`
}

function describeGuarded(host: Host, { policy, skill }: Guard): string {
  return `${host.id}: ${skill.file?.capability} is not fully removed: ${skill.path} does not belong to drover, and ${policy.path} stays to keep the agent from calling it on its own`
}
