import { Type } from 'typebox'
import { literals, optionalList, strict, textLike } from '../kit/shape.ts'

const texts = (description: string) => optionalList(description, Type.String({ minLength: 1 }))

const NotifyTarget = strict({
  name: textLike('^[A-Za-z0-9._-]{1,64}$', 'a name of letters, digits, dots, underscores and hyphens', {
    description: 'The name of the target in logs and commands.',
  }),
  type: literals(['webhook', 'slack', 'ntfy', 'desktop', 'command', 'browsers'], {
    description:
      'A signed `webhook`, an incoming webhook of `slack`, a topic of `ntfy`, a notification on the `desktop`, a `command`, or the `browsers` that have asked for it in the console.',
  }),
  url: Type.Optional(
    Type.String({ minLength: 1, description: 'The address of a webhook, of Slack or of ntfy.', 'x-secret': true }),
  ),
  url_file: Type.Optional(Type.String({ minLength: 1, description: 'A file with the address, instead of `url`.' })),
  secret_file: Type.Optional(
    Type.String({ minLength: 1, description: 'A file with the secret that signs a webhook. Required for a webhook.' }),
  ),
  command: texts('The program of a command and its arguments. It gets the event as JSON on its standard input.'),
  events: optionalList(
    'Which events. Default: all.',
    literals(['question', 'approval', 'delivered', 'failed', 'limit', 'budget']),
  ),
  repositories: texts('Only runs in these repositories. Default: all.'),
  labels: texts('Only runs that `drover watch` has started for an issue with one of these labels. Default: all.'),
})

export const NotifySection = strict({
  targets: Type.Array(NotifyTarget, {
    default: [],
    description: 'Who is notified when a run or an agent needs you, and when a run has ended.',
    'x-rule': 'different names; absolute paths; what the type needs',
  }),
  push_hosts: Type.Array(Type.String({ minLength: 1 }), {
    default: [
      'fcm.googleapis.com',
      'updates.push.services.mozilla.com',
      'web.push.apple.com',
      '*.push.apple.com',
      '*.notify.windows.com',
    ],
    description:
      'The push services of browsers. `*.` stands for every name below. The address of a browser comes from a client, so no other host gets requests.',
  }),
})
