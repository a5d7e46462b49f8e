import type { Caller } from '../../model/caller.ts'
import type { Listed } from '../../resources/define-resource.ts'
import type { Token } from './filter-tokens.ts'

/** The tokens of one filter, taken one after another, and what is wrong with them. */
export interface Source {
  readonly listed: Listed
  readonly caller: Caller
  readonly problems: string[]
  peek(): Token
  take(): Token
}

export function sourceOf(
  listed: Listed,
  caller: Caller,
  tokens: readonly Token[],
  problems: string[],
): Source {
  let next = 0
  // The last token is the end, which is never passed.
  const peek = () => tokens[Math.min(next, tokens.length - 1)] as Token
  return {
    listed,
    caller,
    problems,
    peek,
    take() {
      const token = peek()
      next += 1
      return token
    },
  }
}

export const isWord = ({ kind, text }: Token, word: string): boolean => kind === 'word' && text === word
export const isSign = ({ kind, text }: Token, sign: string): boolean => kind === 'sign' && text === sign
