/** Shares one promise between all calls. After a failure, the next call loads again. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** Returns a function that keeps its last result, and does not compute it again for the same arguments. */
export function rememberLast<Arguments extends readonly unknown[], Result>(
  compute: (...all: Arguments) => Result,
): (...all: Arguments) => Result {
  let last: { readonly all: Arguments; readonly result: Result } | undefined
  return (...all) => {
    if (!last?.all.every((argument, index) => argument === all[index]))
      last = { all, result: compute(...all) }
    return last.result
  }
}
