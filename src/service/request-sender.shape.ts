/** Who sends requests to a server, as it learns it itself. */
import { Type } from 'typebox'
import { KEY_ROLES } from '../config/server-settings.shape.ts'
import { literals, type Message, namedObject, optionalText } from '../kit/shape.ts'

export const Sender = namedObject('Sender', {
  version: Type.String({ description: 'The version of drover.' }),
  auth: literals(['none', 'key', 'login', 'socket'], {
    description:
      'How the request is authenticated: not at all (the server has no keys), by an API key, by a login to the console, or by the local socket.',
  }),
  name: optionalText('The name of the API key in logs.'),
  role: literals(KEY_ROLES, {
    description:
      '`client`: sees its own executions. `operator`: sees those of every key. `admin`: also manages keys and sees the settings; the user of the machine is one.',
  }),
  workdir: Type.String({ description: 'The working directory of prompts that name none.' }),
  workdirs: Type.Array(Type.String(), {
    description: 'The directories in which agents may work; empty if all are allowed that are not blocked.',
  }),
  max_approval_mode: optionalText('The highest approval mode that it may ask for.'),
  max_sandbox_mode: optionalText('The highest sandbox mode that it may ask for.'),
  may_merge: Type.Boolean({
    description: 'Whether it may merge the work of runs, and check their branches out in the repository.',
  }),
  may_decide: Type.Boolean({ description: 'Whether it may decide about what agents ask for.' }),
})
export type Sender = Message<typeof Sender>

export const LoggedIn = namedObject('LoggedIn', {
  ...Sender.properties,
  page_secret: Type.String({
    description:
      'Random. Every request with the cookie needs it as the header `X-Drover-Page-Secret`. No other response has it.',
  }),
})
export type LoggedIn = Message<typeof LoggedIn>
