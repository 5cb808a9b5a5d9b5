import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandName } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/program/command-table.ts'
import { callDrover } from '../support/call-drover.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER, ending, run, runAt, runDrover, SOURCES, temporaryDirectory } from '../support/run-drover.ts'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))

const visible = COMMANDS.filter((command) => command.isHidden !== true)

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']]])(
    'of drover fits 30 lines for %j, and names every command',
    async (args) => {
      const { code, stdout, stderr } = await runDrover(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
      const words = stdout.split(/[\s,]+/)
      for (const command of visible) expect(words).toContain(command.words[0])
      expect(words).not.toContain('complete-words')
    },
  )

  it('of drover with "help all" lists every command and explains the terms', async () => {
    const { code, stdout, stderr } = await runDrover(['help', 'all'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const command of visible) expect(stdout).toContain(command.summary)
    expect(stdout).toContain('--config FILE')
    expect(stdout).not.toContain('complete-words')
  })

  it.each(['protocol', 'source'])('of %s says that programs call it', async (word) => {
    for (const args of [
      [word, '--help'],
      ...visible.filter(({ words }) => words[0] === word).map(({ words }) => [...words, '--help']),
    ]) {
      expect((await callDrover(args)).stdout).toContain('for other programs, such as coding agents')
    }
  })

  it.runIf(hasTerminals)('and the welcome are the same on a terminal as in a pipe', async () => {
    const home = temporaryDirectory()
    const env = { HOME: home, PATH: '/usr/bin:/bin' }
    for (const args of [[], ['--help'], ['help', 'all'], ['protocol', '--help']]) {
      const terminal = startOnTerminal(args, { cwd: home, env, columns: 160 })
      await terminal.ended
      const { stdout } = await runDrover(args, { home, env })
      expect(stripVTControlCharacters(terminal.seen()).replaceAll('\r', '')).toBe(stdout)
    }
  })

  it.each(visible.map((command) => command.words))(
    'of drover %s %s has usage, flags and examples',
    async (...words) => {
      const { code, stdout, stderr } = await callDrover([...words.filter((word) => word !== undefined), '--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/Usage\n {2}drover [^\n]*\n.*Flags\n.*Examples\n/s)
    },
  )

  it('of a group lists its subcommands', async () => {
    const { code, stdout } = await runDrover(['config', '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/drover config <subcommand>.*config set/s)
  })

  it('is the same with "help" and "--help"', async () => {
    const [one, other] = await Promise.all([
      runDrover(['help', 'config', 'set']),
      runDrover(['config', 'set', '--help']),
    ])
    expect(one).toEqual(other)
  })

  it('is printed even if arguments are missing', async () => {
    expect((await runDrover(['config', 'get', '--help'])).code).toBe(0)
  })

  it('shows examples that the parser accepts', async () => {
    const lines = visible.flatMap((command) => Object.keys(command.examples))
    const plain = lines.filter((line) => /^drover [^|<>$"]*$/.test(line))
    expect(plain.length).toBeGreaterThan(8)
    for (const line of plain) {
      const { stderr } = await callDrover(['--help', ...line.split(' ').slice(1)])
      expect({ line, stderr }).toEqual({ line, stderr: '' })
    }
  })
})

describe('wrong use', () => {
  it.each(visible.map((command) => command.words))(
    'of drover %s %s exits with 2, with a sentence',
    async (...words) => {
      const given = words.filter((word) => word !== undefined)
      const { code, stdout, stderr } = await callDrover([...given, '--no-such-flag'])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      if (given[0] === 'protocol' || given[0] === 'source') expect(JSON.parse(stderr).exit_code).toBe(2)
      else expect(stderr).toMatch(/^drover: .*--no-such-flag.*\nRun "drover .*--help" for help\.\n$/)
    },
  )
})

describe('version', () => {
  it.each([[['--version']], [['-v']]])('%j prints name and version', async (args) => {
    expect(await runDrover(args)).toEqual({ code: 0, stdout: `drover ${version}\n`, stderr: '' })
  })

  it('as a command also prints Node and the platform', async () => {
    const { stdout } = await runDrover(['version'])
    expect(stdout).toBe(`drover ${version} (node ${process.versions.node}, ${process.platform}-${process.arch})\n`)
  })

  it('prints JSON with --json', async () => {
    const { stdout } = await runDrover(['version', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      name: 'drover',
      version,
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    })
  })
})

describe('a usage error', () => {
  it.each(
    firstOf(
      [
        [
          'an unknown command',
          ['frobnicate'],
          'unknown command "frobnicate"; to send it as a prompt, run "drover prompt frobnicate"',
        ],
        [
          'a prompt without quotes',
          ['what', 'is', 'a', "shepherd's", 'dog?', '--usage'],
          `unknown command "what"; to send it as a prompt, run "drover prompt 'what is a shepherd'\\''s dog?'"; did you mean drover chat?`,
        ],
        ['an empty word', [''], 'the first argument is empty; give a command or a prompt'],
        ['a mistyped command', ['confg'], 'unknown command "confg"; did you mean drover config?'],
        [
          'a mistyped subcommand',
          ['config', 'shwo'],
          'unknown command "config shwo"; did you mean drover config show?',
        ],
        ['a group alone', ['config'], 'drover config needs a subcommand: show, get, set, unset, validate, path'],
        ['an unknown flag', ['version', '--jsn'], 'drover version has no flag --jsn; did you mean --json?'],
        [
          'a flag of other commands',
          ['drive', '--workdir', 'x', 'y'],
          'drover drive has no flag --workdir; did you mean --root?',
        ],
        [
          '--backend of drive',
          ['drive', '--backend', 'x', 'y'],
          'drover drive has no flag --backend; did you mean --with?',
        ],
        ['--goal of drive', ['drive', '--goal', 'x'], 'drover drive has no flag --goal; did you mean --goal-file?'],
        ['-b of drive', ['drive', '-b', 'x', 'y'], 'drover drive has no flag -b; did you mean --with?'],
        ['-b of compare', ['compare', '-b', 'codex', 'y'], 'drover compare has no flag -b; did you mean --backends?'],
        [
          'a misspelled backend',
          ['-b', 'cluade', 'x'],
          '--backend must be one of claude, codex, gemini, not "cluade"; did you mean claude?',
        ],
        [
          'a backend that is not added',
          ['-b', 'opencode', 'x'],
          '--backend must be one of claude, codex, gemini, not "opencode"; add it with "drover backends add opencode"',
        ],
        [
          'a backend to compare that is not added',
          ['compare', '--backends', 'codex,opencode', 'x'],
          'not "opencode"; add it with "drover backends add opencode"',
        ],
        [
          'a misspelled backend to compare',
          ['compare', '--backends', 'codex,cluade', 'x'],
          '--backends must be one or more of claude, codex, gemini, not "cluade"; did you mean claude?',
        ],
        [
          'a misspelled choice',
          ['prompt', '--access', 'read-onyl', 'x'],
          '--access must be one of default, read-only, workspace, full, not "read-onyl"; did you mean read-only?',
        ],
        [
          'a flag of one other command',
          ['hello there', '--worktrees'],
          'drover prompt has no flag --worktrees; it is a flag of drover compare',
        ],
        [
          'a flag without its command',
          ['--worktrees', 'hello'],
          'drover has no flag --worktrees; it is a flag of drover compare',
        ],
        [
          'a flag of many commands, without one',
          ['hello', '--dry-run'],
          'unknown command "hello"; to send it as a prompt, run "drover prompt hello"',
        ],
        [
          'a mistyped command with a goal',
          ['comare', 'fix it'],
          'unknown command "comare"; did you mean drover compare? Or to send it as a prompt, run "drover prompt \'comare fix it\'"',
        ],
        ['an unknown short flag', ['version', '-x'], 'drover version has no flag -x'],
        [
          'a mistyped flag of a prompt',
          ['--modle', 'x', 'hello'],
          'drover prompt has no flag --modle; did you mean --model?\nRun "drover prompt --help" for help.',
        ],
        ['an unknown flag before the command', ['--jsn', 'version'], 'drover has no flag --jsn'],
        ['a flag without its value', ['config', 'show', '--config'], '--config needs a value'],
        [
          'a flag as the value of another',
          ['prompt', 'hello there', '--backend', '--model', 'x'],
          '--backend must be the name of a backend, not "--model"',
        ],
        [
          'an empty value',
          ['prompt', '-m', '', 'hello there'],
          'the value of -m is empty; give a value or leave the flag out',
        ],
        [
          'an empty value after an equals sign',
          ['parallel', '--output-dir='],
          'the value of --output-dir is empty; give a value or leave the flag out',
        ],
        [
          'a value for a switch',
          ['version', '--json=maybe'],
          '--json must be given without a value, or with true or false, not "maybe"',
        ],
        ['a missing argument', ['config', 'get'], 'drover config get needs <key>'],
        ['a missing argument of a few', ['completion'], 'drover completion needs <shell>, one of bash, zsh, fish'],
        [
          'an extra argument',
          ['config', 'path', 'here'],
          'drover config path does not accept the argument "here"; it accepts none',
        ],
        [
          'a file as an argument',
          ['chain', 'steps.yaml'],
          'drover chain does not accept the argument "steps.yaml"; give a file with --file FILE',
        ],
        [
          'an argument that is not allowed',
          ['completion', 'bsh'],
          'shell must be one of bash, zsh, fish, not "bsh"; did you mean bash?',
        ],
      ],
      13,
    ),
  )('%s exits 2 with one sentence and a hint to the help', async (_name, args, sentence) => {
    const { code, stdout, stderr } = await callDrover(args)
    expect({ code, stdout, lines: stderr.split('\n') }).toEqual({
      code: 2,
      stdout: '',
      lines: [`drover: ${sentence}`, expect.stringMatching(/^Run "drover.* --help" for help\.$/), ''],
    })
  })

  it('is the same from the program', async () => {
    const args = ['version', '--jsn']
    expect(await runDrover(args)).toEqual(await callDrover(args))
  })

  it('is JSON with --json', async () => {
    const { code, stdout, stderr } = await runDrover(['config', 'get', 'server.prot', '--json'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({
      error: 'config_key_unknown',
      message: expect.stringContaining('server.port'),
    })
  })
})

describe('flags', () => {
  it('accept an empty value only where it has a meaning', async () => {
    const args = ['prompt', 'hello there', '-b', 'claude', '--dry-run', '--demo']
    expect(await runDrover([...args, '--system', ''])).toMatchObject({ code: 0 })
    // Commands on changes and hosts have codes of their own for what is empty.
    const others = visible.filter(({ group }) => !['Changes', 'Hosts', 'Programs'].includes(group))
    const taking = others.flatMap(({ flags }) => flags.filter(({ mayBeEmpty }) => mayBeEmpty).map(({ name }) => name))
    expect(new Set(taking)).toEqual(new Set(['system', 'root']))
  })

  it.each(
    firstOf(
      [
        ['before the command', ['--config', 'x.yaml', 'config', 'path']],
        ['between its words', ['config', '--config', 'x.yaml', 'path']],
        ['after it', ['config', 'path', '--config', 'x.yaml']],
        ['joined by =', ['config', 'path', '--config=x.yaml']],
        ['given twice, the last one wins', ['config', 'path', '--config=a.yaml', '--config=x.yaml']],
      ],
      3,
    ),
  )('may come %s', async (_name, args) => {
    const { code, stdout } = await callDrover(args)
    expect({ code, file: stdout.trim().split('/').at(-1) }).toEqual({ code: 0, file: 'x.yaml' })
  })

  it.each(
    firstOf(
      [
        ['a dash and a letter', '-x.yaml'],
        ['two dashes, as a flag of the command does', '--json'],
        ['nothing but two dashes', '--'],
        ['a dash and a space', '- x'],
      ],
      2,
    ),
  )('take the next word as their value if that begins with %s', async (_name, value) => {
    const { code, stdout, stderr } = await callDrover(['config', 'path', '--config', value])
    expect({ code, file: stdout.trim().split('/').at(-1), stderr }).toEqual({ code: 0, file: value, stderr: '' })
  })

  it('print an error as JSON only if --json is a flag and not the value of one', async () => {
    const asValue = await runDrover(['config', 'get', 'server.prot', '--config', '--json'])
    expect(asValue).toMatchObject({ code: 2, stderr: expect.stringMatching(/^drover: /) })
    const asFlag = await runDrover(['config', 'get', 'server.prot', '--config', '--', '--json'])
    expect(JSON.parse(asFlag.stderr)).toMatchObject({ error: 'config_file_missing' })
  })

  it('may come before the command with a value that looks like a prompt', async () => {
    const { code, stdout } = await runDrover(['--config', 'a b.yaml', 'config', 'path'])
    expect({ code, file: stdout.trim().split('/').at(-1) }).toEqual({ code: 0, file: 'a b.yaml' })
    const { stderr } = await runDrover(['--goal-file', 'no such file', 'run', '--json'])
    expect(JSON.parse(stderr)).toMatchObject({ code: 'goal_unavailable' })
  })

  it('end at --', async () => {
    const { stderr } = await runDrover(['config', 'get', '--', '--json'])
    expect(stderr).toContain('--json is not a known key')
  })
})

describe('colour', () => {
  const ESCAPE = '\u001b['

  it.each(
    firstOf(
      [
        ['off without a terminal', {}, false],
        ['on when forced', { FORCE_COLOR: '1' }, true],
        ['off by NO_COLOR, which wins', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
        ['off by FORCE_COLOR=0', { FORCE_COLOR: '0' }, false],
        ['not affected by an empty NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '' }, true],
      ],
      3,
    ),
  )('is %s', async (_name, env, isColoured) => {
    const { stdout } = await runDrover(['--help'], { env })
    expect(stdout.includes(ESCAPE)).toBe(isColoured)
  })
})

describe('an alias', () => {
  const aliases = COMMANDS.filter((command) => command.aliasOf !== undefined)

  it('exists for each command that had a shorter name', () => {
    expect(aliases.map((command) => [commandName(command), command.aliasOf])).toEqual([
      ['install', 'hosts install'],
      ['uninstall', 'hosts uninstall'],
      ['list', 'hosts list'],
    ])
  })

  it.each(['install', 'uninstall', 'list'])(
    'is not listed in help, and its own help names the command: %s',
    async (name) => {
      const { stdout } = await runDrover(['help', 'all'])
      expect(stdout).toMatch(new RegExp(`^ {2}hosts ${name} `, 'm'))
      expect(stdout).not.toMatch(new RegExp(`^ {2}${name} `, 'm'))
      const help = await runDrover([name, '--help'])
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining(`The same as drover hosts ${name}.`) })
      expect(help.stdout).toContain(`\n  drover ${name} `)
    },
  )

  it('is suggested by the name of its command', async () => {
    const { stderr } = await runDrover(['instal'])
    expect(stderr).toContain('did you mean drover hosts install?')
  })

  it.runIf(IS_FULL)('completes its flags and arguments, and is not offered itself', async () => {
    const words = async (...typed: string[]) =>
      (await runDrover(['complete-words', '--', ...typed])).stdout.split('\n').map((line) => line.split('\t')[0])
    expect(await words('install', 'cl')).toEqual(['claude', ''])
    expect(await words('install', '--ref')).toEqual(['--refresh', ''])
    expect(await words('inst')).toEqual([''])
    expect(await words('hosts', 'inst')).toEqual(['install', ''])
  })
})

describe('a closed stdout', () => {
  it('ends quietly, without a stack trace', async () => {
    const child = spawn(process.execPath, [DROVER, 'config', 'show', '--json'], {
      env: { HOME: temporaryDirectory() },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('Windows', () => {
  it('is refused with a way that works, before anything else runs', () => {
    const pretend = 'Object.defineProperty(process, "platform", { value: "win32" }); require(process.argv[1])'
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend, DROVER, '--version'], {
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^drover: does not run on Windows itself\. Install it in WSL 2, .*\n$/)
  })
})

describe('an old Node', () => {
  const PRETEND = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" }); require(process.argv[1])'
  const NODE_PACKAGE = `node-${process.platform}-${process.arch}`
  const PRINTS_ARGUMENTS = 'console.log(process.argv.slice(2), process.versions.node)'
  /** Prints the variables that only a launcher sets. */
  const WAITS_FOR_SIGTERM = `
    console.log(Object.keys(process.env).filter((name) => name.startsWith('DROVER_')))
    process.on('SIGTERM', () => process.exit(console.log('SIGTERM')))
    setInterval(() => {}, 1000)`

  /** The launcher in a separate directory. `asClone` is the program that it starts from source. */
  function launcherIn(directory: string, asClone: boolean, program = PRINTS_ARGUMENTS): string {
    cpSync(join(SOURCES, '..'), join(directory, 'bin'), { recursive: true })
    if (asClone) {
      mkdirSync(join(directory, 'src'))
      writeFileSync(join(directory, 'src', 'bin.ts'), program)
    }
    return join(directory, 'bin', 'drover.cjs')
  }

  /** A Node in the dependencies of a directory. */
  function bringNode(directory: string): void {
    const bin = join(directory, 'node_modules', NODE_PACKAGE, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  }

  const launch = (launcher: string, home: string, ...args: string[]) => launchIn({ HOME: home }, launcher, ...args)

  const launchIn = (env: Record<string, string>, launcher: string, ...args: string[]) =>
    run([process.execPath, '-e', PRETEND, launcher, ...args], env)

  it('runs drover on the Node of the clone', async () => {
    const clone = temporaryDirectory()
    bringNode(clone)
    const ran = await launch(launcherIn(clone, true), clone, 'a b', '--c')
    expect(ran).toEqual({ code: 0, stdout: `[ 'a b', '--c' ] ${process.versions.node}\n`, stderr: '' })
  })

  it('that is killed ends the drover that it has started', async () => {
    const clone = temporaryDirectory()
    bringNode(clone)
    const launcher = launcherIn(clone, true, WAITS_FOR_SIGTERM)
    const child = spawn(process.execPath, ['-e', PRETEND, launcher], { env: { HOME: clone }, stdio: 'pipe' })
    child.stdout.once('data', () => child.kill('SIGKILL'))
    // The output is complete when both processes have ended.
    expect(await ending(child)).toMatchObject({ code: null, stdout: '[]\nSIGTERM\n' })
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'passes on %s, which comes once if both processes get it',
    async (signal) => {
      const clone = temporaryDirectory()
      bringNode(clone)
      const program = `let count = 0
      process.on('${signal}', () => {
        count += 1
        setTimeout(() => process.exit(console.log(count)), 400)
      })
      setInterval(() => {}, 1000)
      console.log('ready')`
      const launcher = launcherIn(clone, true, program)
      const start = () =>
        spawn(process.execPath, ['-e', PRETEND, launcher], { env: { HOME: clone }, stdio: 'pipe', detached: true })
      const [group, alone] = [start(), start()]
      group.stdout.once('data', () => process.kill(-(group.pid ?? 0), signal))
      alone.stdout.once('data', () => alone.kill(signal as 'SIGTERM'))
      const once = { code: 0, stdout: 'ready\n1\n' }
      expect(await Promise.all([group, alone].map(ending))).toMatchObject([once, once])
    },
  )

  it('gets the command that installs a newer Node for an installed drover, and uses that Node afterwards', async () => {
    const home = temporaryDirectory()
    const launcher = launcherIn(join(home, 'prefix'), false)
    const { code, stdout, stderr } = await launch(launcher, home)
    const node = join(home, '.drover', 'node')
    const command = `mkdir -p ${node}/node_modules && cd ${node} && npm install ${NODE_PACKAGE}@24`
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `drover: needs Node 24 or newer, but this is Node 20.20.2.\nRun this once, and drover will use its own Node: ${command}\n`,
    })
    bringNode(node)
    mkdirSync(join(home, 'prefix', 'dist'))
    writeFileSync(join(home, 'prefix', 'dist', 'facts.json'), '{"build":"x","commands":[]}')
    writeFileSync(
      join(home, 'prefix', 'dist', 'drover.cjs'),
      '() => { console.log(process.argv.slice(2)); process.exit(7) }',
    )
    expect(await launch(launcher, home, 'x')).toEqual({ code: 7, stdout: "[ 'x' ]\n", stderr: '' })
  })

  it('is replaced by the same newer Node wherever DROVER_HOME is', async () => {
    const home = temporaryDirectory()
    const env = { HOME: home, DROVER_HOME: join(home, 'elsewhere') }
    const installed = launcherIn(join(home, 'prefix'), false)
    const node = join(home, '.drover', 'node')
    expect((await launchIn(env, installed)).stderr).toContain(`cd ${node} && npm install ${NODE_PACKAGE}@24\n`)
    bringNode(node)
    const clone = join(home, 'clone')
    mkdirSync(join(clone, 'node_modules'), { recursive: true })
    const ran = await launchIn(env, launcherIn(clone, true), 'x')
    expect(ran).toEqual({ code: 0, stdout: `[ 'x' ] ${process.versions.node}\n`, stderr: '' })
  })

  it('gets the command that installs the dependencies of a clone', async () => {
    const clone = temporaryDirectory()
    const launcher = launcherIn(clone, true)
    const command = `cd ${clone} && npm install`
    expect((await launch(launcher, clone)).stderr).toBe(
      `drover: this clone has no dependencies yet. Run this once: ${command}\n`,
    )
    mkdirSync(join(clone, 'node_modules'))
    expect((await launch(launcher, clone)).stderr).toContain(`drover will use its own Node: ${command}\n`)
  })

  it.each([true, false])('gets a command that a shell runs in the right directory (clone: %s)', async (isClone) => {
    const place = join(temporaryDirectory(), `Ada's $(touch no) "files"`)
    mkdirSync(place)
    const { stderr } = await launch(launcherIn(join(place, 'drover'), isClone), place)
    const command = stderr.slice(stderr.lastIndexOf(': ') + 2)
    const bin = temporaryDirectory()
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\nls -d node_modules 2> /dev/null\necho "$PWD" "$@"\n', { mode: 0o755 })
    const ran = await runAt(place, ['/bin/sh', '-c', command], { PATH: `${bin}:/usr/bin:/bin` })
    const found = isClone
      ? `${join(place, 'drover')} install\n`
      : `node_modules\n${join(place, '.drover', 'node')} install ${NODE_PACKAGE}@24\n`
    expect(ran).toEqual({ code: 0, stdout: found, stderr: '' })
  })

  it('is replaced on the platforms whose Node the clone brings', () => {
    const { optionalDependencies } = JSON.parse(
      readFileSync(join(SOURCES, '..', '..', 'runtime', 'package.json'), 'utf8'),
    )
    const source = readFileSync(join(SOURCES, '..', 'run-newer-node.cjs'), 'utf8')
    const known = [...source.matchAll(/'(node-\S+)'/g)].map(([, name]) => name)
    expect(known.toSorted()).toEqual(Object.keys(optionalDependencies).toSorted())
  })
})
