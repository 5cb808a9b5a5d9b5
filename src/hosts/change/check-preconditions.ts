/** Checks the preconditions of a plan and makes the change record. */
import type { BigIntStats } from 'node:fs'
import { digest } from '../../kit/digest.ts'
import { hostFileChanged } from '../faults.ts'
import { isBlocked } from '../found-files.ts'
import type { Plan, PlanStep } from '../plan/plan.ts'
import { findFile } from '../read-hosts.ts'
import { lastPart, lstatIfExists, type OpenWorktree, parentPath } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import type { RecordedStep } from './change-record.ts'
import type { ExpectedFiles } from './perform-steps.ts'

/** Throws `host_file_changed` for the first file that is not as planned. Changes nothing. */
export function checkPreconditions(
  plan: Plan,
  { tree, id }: { tree: OpenWorktree; id: string },
): { record: ChangeRecord; seen: ExpectedFiles } {
  const seen = new Map<string, BigIntStats>()
  const folders: string[] = []
  for (const step of plan.steps) {
    if (step.do === 'create') folders.push(...missingFolders(parentPath(step.path), tree))
    if (step.do !== 'remove_directory') requirePrecondition(step, tree)
    const found = readStats(step.path, tree)
    if (found !== undefined) seen.set(step.path, found)
  }
  const record: ChangeRecord = {
    version: 1,
    id,
    phase: 'applying',
    hosts: [...plan.hosts],
    folders: [...new Set(folders)],
    steps: plan.steps.map(toRecorded),
  }
  return { record, seen }
}

function requirePrecondition(step: Exclude<PlanStep, { do: 'remove_directory' }>, tree: OpenWorktree): void {
  const found = findFile(step.path, tree)
  const problem = (said: string) => hostFileChanged({ path: step.path, problem: said })
  if (isBlocked(found)) throw problem(`it cannot be inspected: ${found.reason}`)
  if (step.do === 'create') {
    if (found.is !== 'absent') throw problem('it was created')
  } else if (found.is !== 'regular') throw problem(found.is === 'absent' ? 'it was removed' : 'it was replaced')
  else if (found.digest !== step.expects) throw problem('it was edited')
}

/** Outermost first. */
function missingFolders(path: string, tree: OpenWorktree): string[] {
  if (path === '') return []
  using folder = tree.enter(path)
  return folder === undefined ? [...missingFolders(parentPath(path), tree), path] : []
}

function readStats(path: string, tree: OpenWorktree): BigIntStats | undefined {
  using folder = tree.enter(parentPath(path))
  return folder && lstatIfExists(folder.at(lastPart(path)), tree.disk)
}

function toRecorded(step: PlanStep): RecordedStep {
  const { path } = step
  switch (step.do) {
    case 'create':
      return { do: step.do, path, gives: digest(step.text) }
    case 'replace':
      return { do: step.do, path, expects: step.expects, gives: digest(step.text) }
    case 'remove_directory':
      return { do: step.do, path }
    default:
      return { do: step.do, path, expects: step.expects }
  }
}
