import { parseAst } from 'vite'

/** As the parser makes it; each kind has fields of its own. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const parseSource = (source: string, lang: 'ts' | 'tsx'): unknown => parseAst(source, { lang }).body

/** Every node, with those around it, the innermost last. */
export function* nodesIn(
  value: unknown,
  around: readonly SyntaxNode[] = [],
): Generator<readonly [SyntaxNode, readonly SyntaxNode[]]> {
  if (Array.isArray(value)) for (const one of value) yield* nodesIn(one, around)
  if (!isNode(value)) return
  yield [value, around]
  for (const child of Object.values(value))
    if (typeof child === 'object') yield* nodesIn(child, [...around, value])
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value

/** What a piece of text or of markup says, with `{}` where values go. */
export function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'JSXText') return String(node.value).replace(/\s+/g, ' ').trim()
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('{}')
}

export const placeholdersOf = (text: string): readonly string[] =>
  [...text.matchAll(/\{\w+\}/g)].map(String).sort()
