/** The default theme with the fonts of the system: the site needs no request for them. */
export { default } from 'vitepress/theme-without-fonts';
