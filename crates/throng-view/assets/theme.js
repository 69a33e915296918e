// Sets the theme before the page is drawn: the one that was chosen last, or that of the system.
const kept = localStorage.getItem("throng-theme");
const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = dark ? "dark" : "light";
