import { describe, expect, it } from 'vitest'
import { Fault } from '../../kit/fault.ts'
import { toMessageTask } from './to-message-task.ts'

const MINIMAL = { model: 'claude-opus-4-5', max_tokens: 16, messages: [{ role: 'user', content: 'say hello' }] }

const PLAIN = {
  model: 'claude-opus-4-5',
  prompt: { backend: 'claude', model: 'claude-opus-4-5', prompt: 'say hello', ephemeral: true, dry_run: false },
  isStream: false,
}

const faultOf = (body: unknown): Fault => {
  try {
    toMessageTask(body)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error(`accepted ${JSON.stringify(body)}`)
}

const ANYTHING = [null, true, 0, -1, 1.5, 64_000, 'x', [], ['a', 5], {}]

describe('toMessageTask', () => {
  it('makes a prompt that leaves no session behind', () => {
    expect(toMessageTask(MINIMAL)).toEqual(PLAIN)
  })

  it('reads the model, the messages, the system prompt, the stream and the dry run', () => {
    const system = [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }]
    expect(toMessageTask({ ...MINIMAL, model: 'gemini', system, stream: true, dry_run: true })).toEqual({
      model: 'gemini',
      prompt: { backend: 'gemini', prompt: 'say hello', system_prompt: 'be brief', ephemeral: true, dry_run: true },
      isStream: true,
    })
    expect(toMessageTask({ ...MINIMAL, system: 'be brief' }).prompt.system_prompt).toBe('be brief')
  })

  it.each(['max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata'])(
    'does not look at %s',
    (field) => {
      for (const value of ANYTHING) expect(toMessageTask({ ...MINIMAL, [field]: value })).toEqual(PLAIN)
    },
  )

  it.each<[string, readonly unknown[]]>([
    ['temperature', [0, 0.7, 1]],
    ['top_p', [0, 0.5, 1]],
    ['top_k', [0, 40]],
    ['stop_sequences', [[], ['a', '']]],
    ['metadata', [{}, { user_id: 'me' }, { user_id: null }]],
    ['system', ['', []]],
    ['tools', [[]]],
    ['mcp_servers', [[]]],
    ['stream', [false]],
    ['dry_run', [false]],
    // Not named anywhere: whatever a client sends is its own affair.
    ['thinking', [{ type: 'enabled', budget_tokens: 1024 }, 'x']],
    ['tool_choice', [{ type: 'auto' }]],
    ['service_tier', ['auto']],
    ['ephemeral', [false]],
    ['backend', ['gemini']],
  ])('makes the same of a request with %s', (field, values) => {
    for (const value of [...values, null]) expect(toMessageTask({ ...MINIMAL, [field]: value })).toEqual(PLAIN)
  })

  it.each<[string, unknown, string]>([
    ['model', undefined, 'is required'],
    ['model', '', 'must be a model name, without control characters and not starting with -'],
    ['model', 5, 'must be a string'],
    ['max_tokens', undefined, 'is required'],
    ['messages', undefined, 'is required'],
    ['messages', [], 'must have at least 1 item'],
    ['messages', {}, 'must be an array'],
    ['system', 5, 'must be a string or an array or null'],
    ['stream', 'true', 'must be a boolean or null'],
    ['dry_run', 1, 'must be a boolean or null'],
    ['tools', {}, 'must be an array or null'],
  ])('refuses %s: %j', (field, value, rule) => {
    const { [field]: _, ...rest } = MINIMAL as Record<string, unknown>
    const body = value === undefined ? rest : { ...rest, [field]: value }
    expect(faultOf(body)).toMatchObject({
      code: 'message_invalid',
      message: `the request is not valid: $.${field} ${rule}`,
    })
  })

  it('names the place of content that is no text', () => {
    const messages = [...MINIMAL.messages, { role: 'user', content: null }]
    expect(faultOf({ ...MINIMAL, messages }).message).toBe(
      'the request is not valid: $.messages[1].content must be a string or an array',
    )
  })

  it.each(['tools', 'mcp_servers'])('refuses %s of the client', (field) => {
    expect(faultOf({ ...MINIMAL, [field]: [{ name: 'f' }] })).toMatchObject({
      code: 'unsupported_feature',
      details: { place: field, feature: 'tools' },
    })
  })
})
