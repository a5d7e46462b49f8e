// The browser waits for this file before it paints, so a page never begins in the other theme. The keys are
// those of services/settings.ts.
try {
  const root = document.documentElement
  const theme = localStorage.getItem('tracker.theme')
  if (theme === 'light' || theme === 'dark') {
    root.dataset.theme = theme
    // The style sheet comes later; until then this decides about the background.
    document.querySelector('meta[name=color-scheme]').content = theme
    // The colour of the window of the installed client.
    for (const meta of document.querySelectorAll('meta[data-scheme]'))
      meta.media = meta.dataset.scheme === theme ? 'all' : 'not all'
  }
  if (localStorage.getItem('tracker.density') === 'compact') root.dataset.density = 'compact'
} catch {
  // A browser that keeps nothing shows the theme of the system.
}
