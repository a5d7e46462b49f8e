/** Who points at a button that is only a sign reads what it does, as screen readers say it. */
export function nameOnHover(): void {
  addEventListener('pointerover', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('.icon-only[aria-label]') : null
    if (button) button.title = button.getAttribute('aria-label') ?? ''
  })
}
