/** What an editor sends, as far as drover reads it. Fields that it does not know are ignored, as the protocol demands. */
import { type Static, Type } from 'typebox'
import { namedObject } from '../kit/shape.ts'

const text = Type.String({ minLength: 1 })
const inSession = { sessionId: text }
const place = {
  cwd: text,
  mcpServers: Type.Optional(Type.Array(Type.Object({}))),
  additionalDirectories: Type.Optional(Type.Union([Type.Array(text, { maxItems: 16 }), Type.Null()])),
}

export const InitializeParams = namedObject('InitializeParams', {
  protocolVersion: Type.Integer({ minimum: 0 }),
  clientCapabilities: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
})

export const NewSessionParams = namedObject('NewSessionParams', place)

/** To load or to resume a session. */
export const OpenSessionParams = namedObject('OpenSessionParams', { ...inSession, ...place })

/** To close or to delete a session. */
export const SessionParams = namedObject('SessionParams', inSession)

export const ListSessionsParams = namedObject('ListSessionsParams', {
  cwd: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  cursor: Type.Optional(Type.Union([Type.String({ pattern: '^[0-9]{1,9}$' }), Type.Null()])),
})

const ContentBlock = Type.Object({
  type: text,
  text: Type.Optional(Type.String()),
  uri: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  data: Type.Optional(Type.String()),
  resource: Type.Optional(
    Type.Object({
      uri: Type.String(),
      text: Type.Optional(Type.String()),
      mimeType: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      blob: Type.Optional(Type.String()),
    }),
  ),
})
export type ContentBlock = Static<typeof ContentBlock>

export const PromptParams = namedObject('PromptParams', {
  ...inSession,
  prompt: Type.Array(ContentBlock, { minItems: 1 }),
})

export const SetModeParams = namedObject('SetModeParams', { ...inSession, modeId: text })

export const SetOptionParams = namedObject('SetOptionParams', { ...inSession, configId: text, value: text })
