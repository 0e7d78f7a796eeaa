/** Light or dark, against what the system says; forgotten with the page. */
export function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset.theme === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : dataset.theme === 'dark';
  dataset.theme = isDark ? 'light' : 'dark';
}
