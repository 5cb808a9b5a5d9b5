import { defineFault } from '../kit/fault.ts'

const hint = (nearest: string | undefined) => (nearest === undefined ? '' : `; did you mean ${nearest}?`)

export const commandUnknown = defineFault({
  code: 'command_unknown',
  kind: 'usage',
  when: 'The first words name no command.',
  say: ({ given, nearest }: { given: string; nearest: string | undefined }) => {
    const asPrompt = given === '' || given.includes(' ') ? '' : `; "drover prompt ${given}" sends it as a prompt`
    return `there is no command "${given}"${nearest === undefined ? asPrompt : hint(nearest)}`
  },
})

export const subcommandRequired = defineFault({
  code: 'subcommand_required',
  kind: 'usage',
  when: 'A command that only groups others was given without one of them.',
  say: (d: { command: string; known: readonly string[] }) =>
    `drover ${d.command} needs a subcommand: ${d.known.join(', ')}`,
})

export const flagUnknown = defineFault({
  code: 'flag_unknown',
  kind: 'usage',
  when: 'A flag that the command does not have.',
  say: (d: { flag: string; command: string; nearest: string | undefined }) =>
    `drover${d.command === '' ? '' : ` ${d.command}`} has no flag ${d.flag}${hint(d.nearest)}`,
})

export const flagValueMissing = defineFault({
  code: 'flag_value_missing',
  kind: 'usage',
  when: 'A flag that takes a value was given without one.',
  say: (d: { flag: string; name: string; value: string }) =>
    `${d.flag} needs a value; write --${d.name}=${d.value} if the value starts with a dash`,
})

export const flagValueInvalid = defineFault({
  code: 'flag_value_invalid',
  kind: 'usage',
  when: 'The value of a flag is not one that the flag allows.',
  say: (d: { flag: string; given: string; allowed: string }) => `${d.flag} must be ${d.allowed}, not "${d.given}"`,
})

export const argumentMissing = defineFault({
  code: 'argument_missing',
  kind: 'usage',
  when: 'A command was given fewer words than it needs.',
  say: (d: { command: string; name: string }) => `drover ${d.command} needs ${d.name}`,
})

export const argumentUnexpected = defineFault({
  code: 'argument_unexpected',
  kind: 'usage',
  when: 'A command was given more words than it takes.',
  say: (d: { command: string; given: string }) =>
    `drover ${d.command} takes no further argument, but "${d.given}" was given; quote it if it belongs to the one before`,
})

export const argumentInvalid = defineFault({
  code: 'argument_invalid',
  kind: 'usage',
  when: 'A word given to a command is not one that it allows.',
  say: (d: { name: string; given: string; allowed: readonly string[]; nearest: string | undefined }) =>
    `${d.name} must be one of ${d.allowed.join(', ')}, not "${d.given}"${hint(d.nearest)}`,
})

export const inputTooLarge = defineFault({
  code: 'input_too_large',
  kind: 'too_large',
  when: 'More was piped into the program than it takes.',
  say: (d: { limitBytes: number }) => `standard input holds more than ${d.limitBytes} bytes, which is all drover takes`,
})

export const promptMissing = defineFault({
  code: 'prompt_missing',
  kind: 'usage',
  when: 'No prompt was given as an argument, in a file or on standard input.',
  say: () => 'there is no prompt; give one as an argument, with --file FILE, or pipe it in',
})

export const promptTwice = defineFault({
  code: 'prompt_twice',
  kind: 'usage',
  when: 'A prompt was given both as an argument and in a file.',
  say: () => 'the prompt was given twice, as an argument and with --file; leave one out',
})

export const workdirMissing = defineFault({
  code: 'workdir_missing',
  kind: 'usage',
  when: 'The working directory of a prompt does not exist, or is no directory.',
  say: (d: { workdir: string }) => `there is no directory ${d.workdir} to work in`,
})

export const outputFailed = defineFault({
  code: 'output_failed',
  kind: 'unavailable',
  when: 'What a command printed could not be written, as on a full disk.',
  say: (d: { reason: string }) => `the output could not be written: ${d.reason}`,
})
