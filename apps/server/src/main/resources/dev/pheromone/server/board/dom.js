// The elements that the page is made of, as functions: div({class: "card"}, "text"). Text is always
// text; nothing here or elsewhere makes markup of a string.

import {Fragment, h, render} from "./vendor/preact.js";

export {Fragment, h, render};
export {useEffect, useErrorBoundary, useLayoutEffect, useRef, useState} from "./vendor/hooks.js";

const isProperties = (value) =>
    value !== null && typeof value === "object" && value.constructor === Object;

const element = (name) => (first, ...rest) =>
    isProperties(first) ? h(name, first, ...rest) : h(name, null, first, ...rest);

export const a = element("a");
export const article = element("article");
export const aside = element("aside");
export const blockquote = element("blockquote");
export const button = element("button");
export const code = element("code");
export const dd = element("dd");
export const del = element("del");
export const details = element("details");
export const dialog = element("dialog");
export const div = element("div");
export const dl = element("dl");
export const dt = element("dt");
export const em = element("em");
export const figure = element("figure");
export const footer = element("footer");
export const form = element("form");
export const h1 = element("h1");
export const h2 = element("h2");
export const h3 = element("h3");
export const header = element("header");
export const hr = element("hr");
export const img = element("img");
export const input = element("input");
export const kbd = element("kbd");
export const label = element("label");
export const li = element("li");
export const main = element("main");
export const meter = element("meter");
export const nav = element("nav");
export const ol = element("ol");
export const option = element("option");
export const p = element("p");
export const pre = element("pre");
export const section = element("section");
export const select = element("select");
export const small = element("small");
export const span = element("span");
export const strong = element("strong");
export const summary = element("summary");
export const table = element("table");
export const tbody = element("tbody");
export const td = element("td");
export const textarea = element("textarea");
export const th = element("th");
export const thead = element("thead");
export const time = element("time");
export const tr = element("tr");
export const ul = element("ul");
