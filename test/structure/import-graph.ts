import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** From each file to the files it imports, those of types alone too. Paths are relative to the root of the project. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

const root = join(import.meta.dirname, '..', '..')

/** Of all files below a folder that belong to the program. */
export function importGraph(folder: string): ImportGraph {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
  return new Map(files.filter(isProgram).map((file) => [file, importsIn(file)]))
}

const isProgram = (path: string): boolean => !/\.test\.tsx?$|\/testing\//.test(path)

const importsIn = (file: string): readonly string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']*\.tsx?)'/g)].map(
    ([, path = '']) => normalize(join(dirname(file), path)),
  )

/** A way from a file back to itself, or nothing. */
export function findCircle(graph: ImportGraph): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const imported of graph.get(file) ?? []) {
      const circle = visit(imported, [...way, file])
      if (circle) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const circle = visit(file, [])
    if (circle) return circle
  }
  return undefined
}

/** Folders from the lowest up. Those of one level do not import each other, and a folder within another counts first. */
export type Levels = readonly (readonly string[])[]

/** Every import that leads neither into the own folder nor to a lower level, a sentence each. */
export function upwardImports(graph: ImportGraph, levels: Levels): readonly string[] {
  const places = levels
    .flatMap((folders, level) => folders.map((folder) => ({ folder, level })))
    .toSorted((one, other) => other.folder.length - one.folder.length)
  const placeOf = (file: string) =>
    places.find(({ folder }) => file === folder || file.startsWith(`${folder}/`))
  return [...graph].flatMap(([file, imported]) => {
    const place = placeOf(file)
    if (place === undefined) return [`${file} stands on no level.`]
    return imported.flatMap((other) => {
      const target = placeOf(other)
      if (target === undefined) return [`${file} imports ${other}, which is no part of it.`]
      const isFine = target.folder === place.folder || target.level < place.level
      return isFine ? [] : [`${file} imports ${other}, which does not stand below it.`]
    })
  })
}
