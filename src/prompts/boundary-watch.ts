/** What an agent inside of a boundary reached and was refused, during one prompt. */
import type { AgentEvent } from '../agents/adapter/agent.ts'
import type { BoundaryEvent } from '../sandbox/boundary-report.ts'
import { BoundaryCounts } from '../sandbox/boundary-report.ts'
import type { BoundaryReport } from './prompt-result.shape.ts'

export class BoundaryWatch {
  readonly #counts = new BoundaryCounts()
  #news: AgentEvent[] = []

  readonly add = (event: BoundaryEvent): void => {
    if (!this.#counts.add(event) || event.is === 'failed') return
    if (event.is === 'exceeded') {
      this.#news.push({ type: 'boundary', content: { is: event.is, limit: event.fault.details.exceeded } })
      return
    }
    const host = `${event.host}:${event.port}`
    const content = event.is === 'refused' ? { is: event.is, host, reason: event.reason } : { is: event.is, host }
    this.#news.push({ type: 'boundary', content })
  }

  /** What a tool printed may name paths that it could not write. */
  note(event: AgentEvent): void {
    if (event.type !== 'tool_result') return
    const { output = '', error_message: error = '' } = event.content
    for (const path of this.#counts.addPrinted(`${output}\n${error}`))
      this.#news.push({ type: 'boundary', content: { is: 'unwritable', path } })
  }

  /** What was reached or refused for the first time since the last call. */
  takeNews(): readonly AgentEvent[] {
    const news = this.#news
    this.#news = []
    return news
  }

  report(): BoundaryReport {
    return { enforced_by: 'bubblewrap', ...this.#counts.report() }
  }
}
