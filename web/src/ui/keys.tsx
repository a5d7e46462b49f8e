/** The keys of a shortcut, such as Ctrl and K. Macs have ⌘ instead of Ctrl. */
export const Keys = ({ keys }: { readonly keys: readonly string[] }) => (
  <span class="keys">
    {keys.map((key) => (
      <kbd key={key}>{key === 'Ctrl' && isMac() ? '⌘' : key}</kbd>
    ))}
  </span>
)

const isMac = (): boolean => navigator.platform.startsWith('Mac')
