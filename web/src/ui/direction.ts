/** Whether lines run from right to left; style sheets know it by themselves. */
const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'

/** 1 where lines run from left to right, else -1: pixels from the left times this are pixels along the line. */
export const lineDirection = (): 1 | -1 => (isRightToLeft() ? -1 : 1)

const turned: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** The key as tables of keys mean it, where ArrowRight leads on along the line. */
export const keyAlongLine = ({ key }: { readonly key: string }): string =>
  isRightToLeft() ? (turned[key] ?? key) : key
