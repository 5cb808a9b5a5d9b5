/** What those who manage a server ask for, and what they get. */
import { Type } from 'typebox'
import { KEY_ROLES, ServerKey } from '../config/server-settings.shape.ts'
import { literals, type Message, namedObject, namedRequest, optionalText, type Static } from '../kit/shape.ts'

const optional = Type.Optional
const text = (description: string) => Type.String({ description })
const list = (description: string) => Type.Array(Type.String(), { description })
const moment = (description: string) => Type.String({ format: 'date-time', description })

const { sha256: _, id: _id, fallback: _fallback, ...newKey } = ServerKey.properties
export const NewKeyBody = namedRequest('NewApiKey', newKey)
export type NewKeyBody = Static<typeof NewKeyBody>

const { sha256: _digest, role: _role, ...shown } = ServerKey.properties
const KEY = { ...shown, role: literals(KEY_ROLES, { description: 'What it may see and manage.' }) }

export const ApiKeyList = namedObject('ApiKeyList', {
  file: text('The config file that holds the digests of the keys.'),
  is_required: Type.Boolean({
    description:
      'Whether requests need a key. A server that was started without keys needs none until it is restarted.',
  }),
  keys: Type.Array(Type.Object(KEY), { description: 'In the order of the file, without their digests.' }),
  others: list('The names of valid keys from variables, files and gopass, which are managed there.'),
})
export type ApiKeyList = Message<typeof ApiKeyList>

const secret = text('The key itself. It is shown this once.')

export const CreatedKey = namedObject('CreatedApiKey', {
  ...KEY,
  key: secret,
  is_required: Type.Boolean({ description: 'False: the server needs no keys until it is restarted.' }),
})
export type CreatedKey = Message<typeof CreatedKey>

export const RotatedKey = namedObject('RotatedApiKey', { name: text('The name of the key.'), key: secret })
export type RotatedKey = Message<typeof RotatedKey>

export const RevokedKey = namedObject('RevokedApiKey', {
  name: text('The name of the key.'),
  keys_left: Type.Integer({ minimum: 0, description: 'How many keys the file still has.' }),
})
export type RevokedKey = Message<typeof RevokedKey>

export const SettingList = namedObject('SettingList', {
  file: text('The config file.'),
  exists: Type.Boolean({ description: 'Whether there is one.' }),
  settings: Type.Array(
    Type.Object({
      key: text('The key, such as `server.port`.'),
      value: Type.Unknown({ description: 'The value in force. Secrets are masked.' }),
      from: literals(['default', 'file', 'environment', 'flag', 'program'], { description: 'Where it comes from.' }),
      origin: text('The same for people: the line of the file, the variable, or the flag.'),
      description: text('What it is for.'),
      applies: literals(['at_once', 'restart'], { description: 'When a change counts.' }),
    }),
    { description: 'As they were when the server was started, in the order of the documentation.' },
  ),
})
export type SettingList = Message<typeof SettingList>

export const RepositoryList = namedObject('RepositoryList', {
  repositories: Type.Array(
    Type.Object({
      path: text('Where it is.'),
      is_open: Type.Boolean({ description: 'Whether clients may start runs there: `drive.repositories` names it.' }),
      branch: optional(text('The branch that is checked out; absent without one.')),
      problem: optional(text('Why it cannot be used.')),
      prepared_by: optional(
        literals(['user', 'file'], {
          description: 'Who says how it is prepared: `drover init`, or `.drover.yml`.',
        }),
      ),
      is_outdated: optional(
        Type.Literal(true, {
          description:
            '`.drover.yml` has changed since it was trusted, and is not used. With `drive.require_checks`, what was trusted last counts for clients.',
        }),
      ),
      is_untrusted: optional(
        Type.Literal(true, {
          description: 'There is a `.drover.yml` that is not used, because the user has not trusted it.',
        }),
      ),
      setup: list('The commands that prepare a worktree.'),
      checks: list('The commands that must pass.'),
      runs: Type.Integer({ minimum: 0, description: 'How many runs are kept.' }),
      last_run_at: optional(moment('When the last one was started.')),
    }),
    { description: 'Those of `drive.repositories`, and those with runs, by path.' },
  ),
})
export type RepositoryList = Message<typeof RepositoryList>

export const PushOffer = namedObject('PushOffer', {
  public_key: optionalText('What a browser needs to subscribe. Absent: this server notifies no browsers.'),
})
export type PushOffer = Message<typeof PushOffer>
