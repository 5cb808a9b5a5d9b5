import type { AgentEvent } from '../../agents/adapter/agent.ts'

/** What an event says about the moment, in a few words; undefined when it says nothing new. */
export function activityOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'init':
      return 'waiting for the answer'
    case 'thinking':
      return 'thinking'
    case 'message':
      // Pieces of an answer come too quickly to be read.
      return event.content.is_partial === true ? 'answering' : event.content.text
    case 'tool_use':
      return `${event.content.tool_name} ${sayInput(event.content.input)}`
    case 'tool_result':
      return `${event.content.tool_name} ${event.content.is_error === true ? 'failed' : 'done'}`
    case 'progress':
      return sayProgress(event.content)
    default:
      return undefined
  }
}

function sayProgress({ stage, message }: { stage: string; message?: string }): string {
  return stage === 'turn_started' ? 'waiting for the answer' : (message ?? stage.replaceAll('_', ' '))
}

/** A tool's input on one line: the command where there is one, otherwise all of it. */
function sayInput(input: unknown): string {
  if (typeof input === 'object' && input !== null) {
    for (const name of ['command', 'file_path', 'path', 'pattern', 'url']) {
      const value = (input as Record<string, unknown>)[name]
      if (typeof value === 'string') return value
    }
  }
  return input === undefined ? '' : JSON.stringify(input)
}
