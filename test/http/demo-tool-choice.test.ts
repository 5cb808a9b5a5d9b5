/** The demo agent, where a client requires a call of its functions. */
import { expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'

type Message = { tool_calls?: { id: string; function: { name: string; arguments: string } }[]; content: string | null }

const functionOf = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] } },
})

it.each(['claude', 'codex', 'gemini'])(
  'as %s it calls one of one or of several functions, and answers after the result',
  async (model) => {
    const server = await startServer({ agents: 'demo', env: { DEMO_AGENT_WORD_MS: '0' } })
    for (const names of [['get_wind'], ['get_wind', 'get_rain']]) {
      const tools = names.map(functionOf)
      const messages: object[] = [{ role: 'user', content: 'How strong is the wind?' }]
      const ask = async (choice: string) => {
        const body = { model, tools, messages, tool_choice: choice }
        const answer = await server.request('/openai/v1/chat/completions', { method: 'POST', body })
        expect(answer.status).toBe(200)
        return (answer.body as { choices: [{ message: Message }] }).choices[0].message
      }
      const called = await ask('required')
      const [call] = called.tool_calls ?? []
      expect(call?.function).toEqual({ name: 'get_wind', arguments: '{"place":"demo"}' })
      messages.push(called, { role: 'tool', tool_call_id: call?.id, content: '12 m/s' })
      // A second call may be required too.
      if (names.length > 1) {
        const again = await ask('required')
        expect(again.tool_calls?.length).toBe(1)
        messages.push(again, { role: 'tool', tool_call_id: again.tool_calls?.[0]?.id, content: '13 m/s' })
      }
      expect((await ask('auto')).content).toContain(`standing in for ${model}`)
    }
  },
)
