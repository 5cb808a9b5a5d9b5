import { describe, expect, it } from 'vitest'
import { findInRegistry, namesInRegistry, REGISTRY } from './registry.ts'

const agent = (distribution: object) => ({ agents: [{ id: 'mine', distribution }] })

describe('the registry', () => {
  it.each([
    [
      'of npm',
      { npx: { package: 'a@1.0.0', args: ['--acp'], env: { A: '1' } } },
      ['npx', '-y', 'a@1.0.0', '--acp'],
      { A: '1' },
    ],
    ['of PyPI', { uvx: { package: 'a==1.0.0', args: ['serve'] } }, ['uvx', 'a==1.0.0', 'serve'], {}],
    ['on PATH', { binary: { 'linux-x86_64': { archive: 'x', cmd: './bin/a', args: ['acp'] } } }, ['a', 'acp'], {}],
  ])('names the command of a program %s', (_name, distribution, command, env) => {
    expect(findInRegistry(agent(distribution), 'mine', 'linux-x86_64')).toEqual({ command, env })
  })

  it.each([
    ['another platform', { binary: { 'windows-x86_64': { cmd: './a.exe' } } }],
    ['another kind', { docker: { image: 'a' } }],
    ['no name', { npx: { args: ['--acp'] } }],
  ])('has no command for %s', (_name, distribution) => {
    expect(findInRegistry(agent(distribution), 'mine', 'linux-x86_64')).toBeUndefined()
  })

  it('of this version has a command for each of its agents', () => {
    const names = namesInRegistry(REGISTRY)
    expect(names).toContain('auggie')
    for (const name of names) expect(findInRegistry(REGISTRY, name, 'linux-x86_64')?.command[0]).toMatch(/^[a-z-]+$/)
  })
})
