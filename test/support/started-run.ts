/** Runs in every state, brought there by commands alone. */
import { join } from 'node:path'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { startRun } from '../../src/runs/start-run.ts'
import { readSource, type SourceReading } from '../../src/source/read-source.ts'
import { amendedBundle } from './amended-bundle.ts'
import { decision, destruction } from './contract-examples.ts'
import { createRunContext } from './create-run-context.ts'
import type { Report } from './drive-run.ts'
import { outcomeFor } from './drive-run.ts'
import { createRunFixture, type RunFixture } from './run-fixture.ts'
import { makeBundle } from './source-bundle.ts'

const bundle = makeBundle()

/** A run in its own repository, and commands about it. */
export class StartedRun {
  readonly fixture: RunFixture
  state: ProtocolState

  constructor(fixture: RunFixture, state: ProtocolState) {
    this.fixture = fixture
    this.state = state
  }

  get ids(): string[] {
    return ['--run', this.state.run_id, '--action', this.state.action?.action_id ?? 'none']
  }

  async do(...args: string[]): Promise<this> {
    this.state = await this.fixture.state(args)
    return this
  }

  async report(report: Report = {}): Promise<this> {
    const input = JSON.stringify(outcomeFor(this.state.action, report))
    this.state = await this.fixture.state(['protocol', 'submit', ...this.ids, '--outcome-stdin'], { input })
    return this
  }

  submit(report: Report = {}, ids = this.ids): Promise<CliError> {
    const input = JSON.stringify(outcomeFor(this.state.action, report))
    return this.fixture.error(['protocol', 'submit', ...ids, '--outcome-stdin'], { input })
  }

  answer(...rest: string[]): Promise<CliError> {
    return this.fixture.error(['protocol', 'answer', ...this.ids, ...rest])
  }

  skip(): Promise<CliError> {
    return this.fixture.error(['protocol', 'skip', ...this.ids])
  }

  stop(): Promise<this> {
    return this.do('stop', '--json', this.state.run_id)
  }

  resume(...rest: string[]): Promise<CliError> {
    return this.fixture.error(['protocol', 'resume', this.state.run_id, ...rest])
  }

  refresh(envelope: RawSourceEnvelope): Promise<CliError> {
    return this.resume('--source-file', this.fixture.file('refreshed.json', envelope))
  }

  material(section: string, ids = this.ids): Promise<CliError> {
    return this.fixture.error(['protocol', 'material', ...ids, '--section', section])
  }

  /** The directory of the run. */
  get directory(): string {
    return join(this.fixture.root, '.git', 'drover', 'runs', this.state.run_id)
  }
}

export async function adHoc(...flags: string[]): Promise<StartedRun> {
  const fixture = createRunFixture()
  return new StartedRun(fixture, await fixture.state(['run', '--json', ...flags, 'A goal']))
}

export async function bound(): Promise<StartedRun> {
  const fixture = createRunFixture()
  const file = fixture.file('envelope.json', bundle)
  return new StartedRun(fixture, await fixture.state(['run', '--json', '--source-file', file, 'A goal']))
}

export async function boundAndStopped(): Promise<StartedRun> {
  return await (await bound()).stop()
}

/** A run with a pinned source that drover itself would never store. */
export async function boundTo(change: (reading: SourceReading & { is: 'pinned' }) => object): Promise<StartedRun> {
  const fixture = createRunFixture()
  const context = await createRunContext(fixture)
  const reading = readSource(bundle)
  if (reading.is !== 'pinned') throw new Error(reading.error)
  const source = { ...reading.source, ...change(reading) }
  const request = { goal: 'A goal', budget: 8, reviewEnabled: true, reading: { ...reading, source } }
  return new StartedRun(fixture, await startRun(context, request))
}

export const asking = async () => await (await adHoc()).report({ status: 'needs_input', pause: decision })

export async function destroying(...flags: string[]): Promise<StartedRun> {
  const started = await adHoc(...flags)
  await started.report({ suggested_actions: [{ kind: 'implement', brief: 'Go.' }] })
  return await started.report({ status: 'needs_input', pause: destruction })
}

export async function ended(): Promise<StartedRun> {
  const started = await adHoc()
  await started.report()
  return await started.report()
}

/** A run that waits for a choice between its pinned source and this one. */
export async function choosing(envelope?: RawSourceEnvelope): Promise<StartedRun> {
  const started = await boundAndStopped()
  const found = envelope ?? amendedBundle(started.state.pinned_source?.requirements_revision)
  const file = started.fixture.file('found.json', found)
  return await started.do('protocol', 'resume', started.state.run_id, '--source-file', file)
}
