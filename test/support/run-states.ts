/** Runs in every possible state. */
import { decision, destruction, environment } from './contract-examples.ts'
import { changed, type Driver, type DriverOptions, driveRun, GIT_UNAVAILABLE } from './drive-run.ts'
import { amended, candidateOf, invalidOf, pinned } from './pinned-sources.ts'

export function atWork(options: DriverOptions = {}): Driver {
  return driveRun(options)
}

/** A run whose current action is of this kind. */
export function atKind(
  kind: 'orient' | 'clarify' | 'implement' | 'review' | 'summarize',
  options: DriverOptions = {},
): Driver {
  const driver = driveRun(options)
  if (kind === 'clarify' || kind === 'implement')
    driver.submit({ suggested_actions: [{ kind, brief: `Go and ${kind}.` }] })
  if (kind === 'review') driver.setGit(changed())
  if (kind === 'review' || kind === 'summarize') driver.submit()
  return driver
}

export function waitingForDecision(options: DriverOptions = {}): Driver {
  const driver = driveRun(options)
  driver.submit({ status: 'needs_input', pause: decision })
  return driver
}

export function waitingForConfirmation(options: DriverOptions = {}): Driver {
  const driver = atKind('implement', options)
  driver.submit({ action_kind: 'implement', status: 'needs_input', pause: destruction })
  return driver
}

export function lackingEnvironment(options: DriverOptions = {}): Driver {
  const driver = driveRun(options)
  driver.submit({ status: 'needs_input', pause: environment })
  return driver
}

/** Git failed after an action, so the run has no current action. */
export function gitUnavailable(options: DriverOptions = {}): Driver {
  const driver = driveRun(options)
  driver.setGit(GIT_UNAVAILABLE)
  driver.submit({ suggested_actions: [{ kind: 'implement', brief: 'Go and implement.' }] })
  return driver
}

export function outOfBudget(options: DriverOptions = {}): Driver {
  const driver = driveRun({ budget: 1, ...options })
  driver.submit()
  return driver
}

export function stopped(options: DriverOptions = {}): Driver {
  const driver = driveRun(options)
  driver.stop()
  return driver
}

export function ended(options: DriverOptions = {}): Driver {
  const driver = atKind('summarize', options)
  driver.submit()
  return driver
}

export function waitingForChoice(options: DriverOptions = {}): Driver {
  const driver = stopped({ source: pinned, ...options })
  driver.resume({ refreshed: candidateOf(amended) })
  return driver
}

export function waitingWithInvalid(options: DriverOptions = {}): Driver {
  const driver = stopped({ source: pinned, ...options })
  driver.resume({ refreshed: invalidOf() })
  return driver
}
