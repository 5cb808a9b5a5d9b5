import { describe, expect, it } from 'vitest'
import { workspaceIdentity } from '../../scripts/protocol-examples.ts'
import { destructiveRequest } from '../../test/support/contract-examples.ts'
import type { Driver, DriverOptions } from '../../test/support/drive-run.ts'
import { pinned } from '../../test/support/pinned-sources.ts'
import {
  atWork,
  ended,
  lackingEnvironment,
  outOfBudget,
  stopped,
  unseen,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
  waitingWithInvalid,
} from '../../test/support/run-states.ts'
import { checkNext } from '../contract/next.ts'
import { nextHint, resumeHint } from './next-hint.ts'

const stoppedWithChoice = (): Driver => {
  const driver = waitingForChoice()
  driver.stop()
  return driver
}
const bound = (make: (options: DriverOptions) => Driver) => () => make({ source: pinned })
const waysOn = ['refresh-source', 'use-pinned-source']

describe('what can be done with a run', () => {
  it.each<[string, () => Driver, string, readonly string[]]>([
    ['has ended', ended, 'none', []],
    ['waits for a choice', waitingForChoice, 'resume', ['keep-pinned', 'adopt']],
    ['waits for a choice that is none', waitingWithInvalid, 'resume', ['keep-pinned']],
    ['waits for a choice and is stopped', stoppedWithChoice, 'resume', ['keep-pinned', 'adopt']],
    ['is active', atWork, 'action', ['submit-outcome-file', 'submit-outcome-stdin', 'skip-action']],
    ['waits for a decision', waitingForDecision, 'answer', ['answer-decision', 'skip-action']],
    [
      'waits for a confirmation',
      waitingForConfirmation,
      'answer',
      ['confirm-destructive', 'decline-or-feedback', 'skip-action'],
    ],
    ['lacks its environment, ad hoc', lackingEnvironment, 'resume', ['resume-ad-hoc', 'skip-action']],
    ['lacks its environment, bound', bound(lackingEnvironment), 'resume', [...waysOn, 'skip-action']],
    ['is stopped, ad hoc', stopped, 'resume', ['resume-ad-hoc']],
    ['has no budget, ad hoc', outOfBudget, 'resume', ['resume-ad-hoc']],
    ['was not seen, ad hoc', unseen, 'resume', ['resume-ad-hoc']],
    ['is stopped, bound', bound(stopped), 'resume', waysOn],
    ['has no budget, bound', bound(outOfBudget), 'resume', waysOn],
    ['was not seen, bound', bound(unseen), 'resume', waysOn],
  ])('that %s', (_what, make, operation, ids) => {
    const next = checkNext(nextHint(make().run))
    expect(next.operation).toBe(operation)
    expect(next.variants.map(({ id }) => id)).toEqual(ids)
    expect(next.workspace_identity).toBe(workspaceIdentity.id)
  })

  it('names the scope that is to be confirmed', () => {
    const [confirm] = nextHint(waitingForConfirmation().run).variants
    expect(confirm?.base_argv.slice(-2)).toEqual(['--scope-sha256', destructiveRequest.scope_sha256])
  })
})

describe('how a run is resumed', () => {
  it.each<[string, () => Driver, readonly string[]]>([
    ['has ended', ended, []],
    ['waits for a choice', waitingForChoice, ['keep-pinned', 'adopt']],
    ['is active, ad hoc', atWork, ['resume-ad-hoc']],
    ['is active, bound', bound(atWork), waysOn],
    ['waits for a decision', waitingForDecision, ['resume-ad-hoc']],
  ])('that %s', (_what, make, ids) => {
    expect(resumeHint(make().run).variants.map(({ id }) => id)).toEqual(ids)
  })
})
