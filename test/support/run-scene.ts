/** Runs in the states that commands can find them in, reached by commands alone. */
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
import { outcomeFor } from './report-outcome.ts'
import { createRunRoom, type RunRoom } from './run-room.ts'
import { makeBundle } from './source-bundle.ts'

const bundle = makeBundle()

/** A run in a room of its own, and commands about it. */
export class Scene {
  readonly room: RunRoom
  state: ProtocolState

  constructor(room: RunRoom, state: ProtocolState) {
    this.room = room
    this.state = state
  }

  get ids(): string[] {
    return ['--run', this.state.run_id, '--action', this.state.action?.action_id ?? 'none']
  }

  async do(...args: string[]): Promise<this> {
    this.state = await this.room.state(args)
    return this
  }

  async report(report: Report = {}): Promise<this> {
    const input = JSON.stringify(outcomeFor(this.state.action, report))
    this.state = await this.room.state(['protocol', 'submit', ...this.ids, '--outcome-stdin'], { input })
    return this
  }

  submit(report: Report = {}, ids = this.ids): Promise<CliError> {
    const input = JSON.stringify(outcomeFor(this.state.action, report))
    return this.room.error(['protocol', 'submit', ...ids, '--outcome-stdin'], { input })
  }

  answer(...rest: string[]): Promise<CliError> {
    return this.room.error(['protocol', 'answer', ...this.ids, ...rest])
  }

  skip(): Promise<CliError> {
    return this.room.error(['protocol', 'skip', ...this.ids])
  }

  stop(): Promise<this> {
    return this.do('stop', '--json', this.state.run_id)
  }

  resume(...rest: string[]): Promise<CliError> {
    return this.room.error(['protocol', 'resume', this.state.run_id, ...rest])
  }

  refresh(envelope: RawSourceEnvelope): Promise<CliError> {
    return this.resume('--source-file', this.room.file('refreshed.json', envelope))
  }

  material(section: string, ids = this.ids): Promise<CliError> {
    return this.room.error(['protocol', 'material', ...ids, '--section', section])
  }

  /** The directory of the run. */
  get directory(): string {
    return join(this.room.root, '.git', 'drover', 'runs', this.state.run_id)
  }
}

export async function adHoc(...flags: string[]): Promise<Scene> {
  const room = createRunRoom()
  return new Scene(room, await room.state(['run', '--json', ...flags, 'A goal']))
}

export async function bound(): Promise<Scene> {
  const room = createRunRoom()
  const file = room.file('envelope.json', bundle)
  return new Scene(room, await room.state(['run', '--json', '--source-file', file, 'A goal']))
}

export async function boundAndStopped(): Promise<Scene> {
  return await (await bound()).stop()
}

/** An issue-bound run as only a store could hold it that somebody else wrote. */
export async function boundTo(change: (reading: SourceReading & { is: 'pinned' }) => object): Promise<Scene> {
  const room = createRunRoom()
  const context = await createRunContext(room)
  const reading = readSource(bundle)
  if (reading.is !== 'pinned') throw new Error(reading.error)
  const source = { ...reading.source, ...change(reading) }
  const request = { goal: 'A goal', budget: 8, reviewEnabled: true, reading: { ...reading, source } }
  return new Scene(room, await startRun(context, request))
}

export const asking = async () => await (await adHoc()).report({ status: 'needs_input', pause: decision })

export async function destroying(...flags: string[]): Promise<Scene> {
  const scene = await adHoc(...flags)
  await scene.report({ suggested_actions: [{ kind: 'implement', brief: 'Go.' }] })
  return await scene.report({ status: 'needs_input', pause: destruction })
}

export async function ended(): Promise<Scene> {
  const scene = await adHoc()
  await scene.report()
  return await scene.report()
}

/** It waits for a choice between its source and this one. */
export async function choosing(envelope?: RawSourceEnvelope): Promise<Scene> {
  const scene = await boundAndStopped()
  const found = envelope ?? amendedBundle(scene.state.pinned_source?.requirements_revision)
  const file = scene.room.file('found.json', found)
  return await scene.do('protocol', 'resume', scene.state.run_id, '--source-file', file)
}
