/** The version of the protocol, and the frames that depend on it. A second version is coming: what differs belongs here. */

import type { AcpProfile } from '../adapter/acp-profile.ts'
import { type JsonRecord, objectAt, objectsAt, textAt } from '../adapter/json-fields.ts'

export const PROTOCOL_VERSION = 1
/** Agents only log it. */
const CLIENT_VERSION = '1.0.0'
const LOGIN_LENGTH = 200

/** What the client offers. An agent that does not use files or terminals of the client is not told about them. */
export function initializeParams({ client = {} }: Pick<AcpProfile, 'client'>): JsonRecord {
  const files = client.files === true
  return {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {
      fs: { readTextFile: files, writeTextFile: files },
      ...(client.terminal && { terminal: true }),
      elicitation: { form: {} },
      // Agents may offer switches; drover changes only the mode and the model.
      session: { configOptions: { boolean: {} } },
    },
    clientInfo: { name: 'drover', title: 'drover', version: CLIENT_VERSION },
  }
}

/** What the agent says about itself. */
export type AgentInfo = {
  name: string | undefined
  version: string | undefined
  protocolVersion: unknown
  canLoad: boolean
  canResume: boolean
  canDelete: boolean
  canClose: boolean
  takesImages: boolean
  /** Its sessions take further directories. */
  takesDirectories: boolean
  /** Takes messages in the middle of a turn: an extension of the protocol. */
  takesMessages: boolean
  /** The ways to log in that the agent offers. */
  logins: readonly string[]
}

export function readAgentInfo(result: JsonRecord): AgentInfo {
  const capabilities = objectAt(result, 'agentCapabilities')
  const sessions = objectAt(capabilities, 'sessionCapabilities')
  const info = objectAt(result, 'agentInfo')
  return {
    name: textAt(info, 'title') ?? textAt(info, 'name'),
    version: textAt(info, 'version') ?? textAt(objectAt(result, '_meta'), 'agentVersion'),
    protocolVersion: result['protocolVersion'],
    canLoad: capabilities?.['loadSession'] === true,
    canResume: objectAt(sessions, 'resume') !== undefined,
    canDelete: objectAt(sessions, 'delete') !== undefined,
    canClose: objectAt(sessions, 'close') !== undefined,
    takesDirectories: objectAt(sessions, 'additionalDirectories') !== undefined,
    takesImages: objectAt(capabilities, 'promptCapabilities')?.['image'] === true,
    takesMessages: objectAt(objectAt(result, '_meta'), 'steering')?.['supported'] === true,
    logins: objectsAt(result, 'authMethods').flatMap(describeLogin),
  }
}

/** A name with its description, in one short line. */
function describeLogin(method: JsonRecord): string[] {
  const [name, description] = [textAt(method, 'name', 'id'), textAt(method, 'description')]
  if (!name) return []
  const text = description && description !== name ? `${name} (${description})` : name
  return [text.replace(/\s+/g, ' ').slice(0, LOGIN_LENGTH).toWellFormed()]
}

/** A session as the agent has opened it. */
export type SessionState = {
  sessionId: string
  /** The mode that the agent chose itself. */
  ownMode: string | undefined
  mode: string | undefined
  modes: readonly string[]
  /** How the mode is changed. */
  modeOption: string | undefined
  model: string | undefined
  /** How the model is changed: by an option, by its own method, or not at all. */
  modelBy: 'session/set_config_option' | 'session/set_model' | undefined
  modelOption: string | undefined
}

/** Modes and models are options in newer releases, and have their own fields in older ones. */
export function readSession(sessionId: string, result: JsonRecord): SessionState {
  const modes = objectAt(result, 'modes')
  const models = objectAt(result, 'models')
  const options = objectsAt(result, 'configOptions')
  const modeOption = options.find((option) => isOption(option, 'mode'))
  const modelOption = options.find((option) => isOption(option, 'model'))
  const own = textAt(modes, 'currentModeId') ?? textAt(modeOption, 'currentValue')
  const listed = objectsAt(modes, 'availableModes').map((mode) => textAt(mode, 'id'))
  const offered = objectsAt(modeOption, 'options').map((option) => textAt(option, 'value'))
  return {
    sessionId,
    ownMode: own,
    mode: own,
    modes: [...listed, ...offered].filter((id) => id !== undefined),
    modeOption: modes === undefined ? textAt(modeOption, 'id') : undefined,
    model: textAt(modelOption, 'currentValue') ?? textAt(models, 'currentModelId'),
    modelBy: modelOption ? 'session/set_config_option' : models ? 'session/set_model' : undefined,
    modelOption: textAt(modelOption, 'id'),
  }
}

/** A switch is no choice of a mode or a model. */
function isOption(option: JsonRecord, name: string): boolean {
  if (option['type'] === 'boolean') return false
  return textAt(option, 'category') === name || textAt(option, 'id') === name
}

/** The request that gives the agent a message in the middle of a turn. If there is no turn, the agent must not begin one. */
export function steerRequest({ sessionId }: SessionState, text: string): [method: string, JsonRecord] {
  const prompt = [{ type: 'text', text }]
  return ['_session/steering', { sessionId, prompt, _meta: { steering: { idleBehavior: 'promptRequired' } } }]
}

/** The request that changes the mode. */
export function modeRequest({ sessionId, modeOption }: SessionState, mode: string): [method: string, JsonRecord] {
  return modeOption === undefined
    ? ['session/set_mode', { sessionId, modeId: mode }]
    : ['session/set_config_option', { sessionId, configId: modeOption, value: mode }]
}

/** The request that changes the model; undefined if the agent offers no choice. */
export function modelRequest(session: SessionState, model: string): [method: string, JsonRecord] | undefined {
  const { sessionId, modelBy, modelOption } = session
  if (modelBy === undefined) return undefined
  if (modelBy === 'session/set_model') return [modelBy, { sessionId, modelId: model }]
  return [modelBy, { sessionId, configId: modelOption ?? 'model', value: model }]
}
