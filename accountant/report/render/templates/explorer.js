// Looks up what Python certified. No number about privacy is computed here: a reading takes the nodes around a setting and
// shows the outer ends of both, which hold in between, since the value grows or falls along the dial.
"use strict";

for (const root of document.querySelectorAll("[data-explorer]")) {
  const data = JSON.parse(root.querySelector("script").textContent);
  const grids = Object.fromEntries(data.grids.map(grid => [grid.name, grid]));
  const dials = Object.fromEntries(data.dials.map(dial => [dial.name, dial]));
  const choices = Object.fromEntries(data.choices.map(choice => [choice.name, choice]));
  const wish = data.wish;
  const start = {};
  for (const choice of data.choices) start[choice.name] = choice.start;
  for (const dial of data.dials) start[dial.name] = dial.start;
  let state = {...start};
  let wishes = wish ? [...wish.start] : [];

  // The nodes around a number; twice the same where it is one.
  function cell(dial, value) {
    const right = dial.nodes.findIndex(node => Number(node) >= Number(value));
    return Number(dial.nodes[right]) === Number(value) ? [right, right] : [right - 1, right];
  }

  function axis(name, along, at) {
    if (along === "option") return [choices[name].options.length, at[name], at[name]];
    if (along === "found") return [grids[name].texts.length, ...Array(2).fill(read(name, at).high)];
    const [left, right] = cell(dials[name], at[name]);
    return along === "grows" ? [dials[name].nodes.length, left, right] : [dials[name].nodes.length, right, left];
  }

  function read(name, at) {
    const grid = grids[name];
    let low = 0, high = 0;
    grid.over.forEach((each, number) => {
      const [size, below, above] = axis(each, grid.along[number], at);
      low = low * size + below;
      high = high * size + above;
    });
    return {low: grid.low[low], high: grid.high[high]};
  }

  function words(name, at) {
    if (name in choices) return choices[name].said[at[name]];
    const dial = dials[name];
    return dial.none !== null && Number(at[name]) === 0 ? dial.none : dial.said.replace("{value}", at[name]);
  }

  function said(sentence, at) {
    const place = sentence.over.reduce((sum, name) => sum * choices[name].options.length + at[name], 0);
    const unlimited = sentence.grid !== null && read(sentence.grid, at).high === grids[sentence.grid].open;
    const text = (unlimited ? sentence.unlimited : sentence.texts)[place];
    return text.replace(/\{(\w+)(?:\.(low|high|value))?\}/g, (_, name, end) =>
      !end ? words(name, at) : end === "value" ? `${at[name]}${dials[name].unit}` : grids[name].texts[read(name, at)[end]]);
  }

  // Drawing ---------------------------------------------------------------------------------------------------------------

  const LEFT = 58, RIGHT = 24, TOP = 12, BOTTOM = 46, WIDE = 340, HIGH = 260;
  const across = share => LEFT + share * (WIDE - LEFT - RIGHT);
  const up = share => HIGH - BOTTOM - share * (HIGH - TOP - BOTTOM);

  function add(parent, tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  function axes(svg, below, beside) {
    svg.replaceChildren();
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      add(svg, "line", {class: "grid", x1: across(share), x2: across(share), y1: up(0), y2: up(1)});
      add(svg, "line", {class: "grid", x1: across(0), x2: across(1), y1: up(share), y2: up(share)});
      add(svg, "text", {x: across(share), y: up(0) + 16, "text-anchor": "middle"}, `${100 * share}%`);
      add(svg, "text", {x: LEFT - 6, y: up(share) + 4, "text-anchor": "end"}, `${100 * share}%`);
    }
    add(svg, "text", {x: across(0.5), y: HIGH - 8, "text-anchor": "middle"}, below);
    add(svg, "text", {x: 12, y: up(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${up(0.5)})`}, beside);
  }

  // A box from each node to the next: nothing is drawn between them but what is known there.
  function chart(svg, item) {
    const dial = dials[item.dial], grid = grids[item.grid];
    axes(svg, item.across, item.up);
    add(svg, "line", {class: "same", x1: across(0), y1: up(0), x2: across(1), y2: up(1)});
    for (let number = 0; number + 1 < dial.nodes.length; number += 1) {
      const ends = [dial.nodes[number], dial.nodes[number + 1]];
      const low = read(item.grid, {...state, [item.dial]: ends[0]}).low;
      const high = read(item.grid, {...state, [item.dial]: ends[1]}).high;
      const x = across(Number(ends[0]) / 100), y = up(grid.values[high]);
      const width = across(Number(ends[1]) / 100) - x, height = Math.max(1, up(grid.values[low]) - y);
      add(svg, "rect", {class: "band", x, y, width, height});
    }
    const found = read(item.grid, state), x = across(Number(state[item.dial]) / 100);
    add(svg, "line", {class: "here", x1: x, x2: x, y1: up(grid.values[found.low]), y2: up(grid.values[found.high])});
    for (const end of ["low", "high"]) add(svg, "circle", {class: "here", cx: x, cy: up(grid.values[found[end]]), r: 4});
    svg.setAttribute("aria-label",
      `${item.title}: at ${words(item.dial, state)} between ${grid.texts[found.low]} and ${grid.texts[found.high]}`);
  }

  // The profile that is drawn ---------------------------------------------------------------------------------------------

  // Of all beliefs up to a prior that prior decides, and of all priors the one that admits least.
  function decided() {
    const at = wishes.map((tolerance, prior) => prior * wish.tolerances.length + tolerance);
    return at.reduce((best, place, prior) =>
      wish.reach[place] < wish.reach[at[best]] ||
      (wish.reach[place] === wish.reach[at[best]] && wish.epsilon[place] < wish.epsilon[at[best]]) ? prior : best, 0);
  }

  function profile() {
    const svg = root.querySelector("[data-profile]"), place = decided();
    const number = place * wish.tolerances.length + wishes[place];
    axes(svg, wish.words.across, wish.words.up);
    add(svg, "line", {class: "same", x1: across(0), y1: up(0), x2: across(1), y2: up(1)});
    wish.priors.forEach((prior, index) => {
      const left = across(index ? Number(wish.priors[index - 1]) / 100 : 0), right = across(Number(prior) / 100);
      const y = up(Number(wish.tolerances[wishes[index]]) / 100);
      add(svg, "rect", {class: index === place ? "wished deciding" : "wished", x: left, y, width: right - left, height: up(0) - y});
      root.querySelector(`[data-tolerance="${index}"]`).textContent = `${wish.tolerances[wishes[index]]}%`;
    });
    const epsilon = wish.texts[wish.epsilon[number]];
    const key = wish.reach[number] < 0 ? "none" : wish.epsilon[number] === 0 ? "anything" : "answer";
    const filled = text => text.replace("{epsilon}", epsilon).replace("{prior}", wish.priors[place])
      .replace("{tolerance}", wish.tolerances[wishes[place]]).replace("{failure}", words("failure", state));
    root.querySelector("[data-answer]").textContent = filled(wish.words[key]);
    const kept = read(wish.gain, state).high <= wish.reach[number];
    root.querySelector("[data-kept]").textContent = filled(kept ? wish.words.kept : wish.words.unknown);
    svg.setAttribute("aria-label", filled(wish.words[key]));
  }

  // Bets: by halving, the largest tolerance that somebody would still accept at each prior.
  const bets = {prior: 0, low: 0, high: 0, open: false};
  const least = prior => wish.tolerances.findIndex(tolerance => Number(tolerance) >= Number(wish.priors[prior]));

  function ask() {
    const middle = Math.ceil((bets.low + bets.high) / 2);
    root.querySelector("[data-question]").textContent = bets.open
      ? wish.words.question.replace("{prior}", wish.priors[bets.prior]).replace("{tolerance}", wish.tolerances[middle])
      : wish.words.done;
    for (const button of root.querySelectorAll("[data-bet]")) {
      button.hidden = (button.dataset.bet === "start") === bets.open;
    }
    return middle;
  }

  function next(prior) {
    Object.assign(bets, {prior, open: prior < wish.priors.length});
    if (bets.open) Object.assign(bets, {low: least(prior), high: wish.tolerances.length - 1});
    ask();
  }

  function bet(answer) {
    if (answer === "start") next(0);
    else {
      const middle = Math.ceil((bets.low + bets.high) / 2);
      if (answer === "yes") bets.low = middle; else bets.high = middle - 1;
      if (bets.low === bets.high) {
        wishes[bets.prior] = bets.low;
        next(bets.prior + 1);
      } else ask();
      show();
    }
    root.querySelector(`[data-bet="${bets.open ? "yes" : "start"}"]`).focus();
  }

  // The state stands in the address, so that a view can be shared ---------------------------------------------------------

  function valid(name, text) {
    if (name in choices) {
      return /^\d+$/.test(text) && Number(text) < choices[name].options.length ? Number(text) : null;
    }
    const {nodes} = dials[name];
    const inside = /^\d{1,3}(\.\d{1,12})?$/.test(text) && Number(text) >= Number(nodes[0]) && Number(text) <= Number(nodes.at(-1));
    return inside ? text : null;
  }

  function load() {
    const asked = new URLSearchParams(location.hash.slice(1));
    state = {...start};
    wishes = wish ? [...wish.start] : [];
    for (const name of Object.keys(start)) {
      const found = asked.has(name) ? valid(name, asked.get(name)) : null;
      if (found !== null) state[name] = found;
    }
    const drawn = (asked.get("profile") || "").split("-").map(Number);
    if (wish && drawn.length === wishes.length && drawn.every(each => Number.isInteger(each) && each >= 0 && each < wish.tolerances.length)) {
      wishes = drawn;
    }
  }

  function store() {
    const kept = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) if (value !== start[name]) kept.set(name, value);
    if (wish && wishes.some((each, number) => each !== wish.start[number])) kept.set("profile", wishes.join("-"));
    history.replaceState(null, "", `#${kept}`);
  }

  function show() {
    for (const sentence of data.sentences) {
      const place = root.querySelector(`[data-sentence="${sentence.name}"]`), text = said(sentence, state);
      if (place.textContent !== text) place.textContent = text;
    }
    for (const select of root.querySelectorAll("select")) select.value = state[select.name];
    for (const dial of data.dials) {
      const typed = root.querySelector(`input[name="${dial.name}"]`), slid = root.querySelector(`[data-dial="${dial.name}"]`);
      if (document.activeElement !== typed) typed.value = state[dial.name];
      slid.value = cell(dial, state[dial.name])[1];
      slid.setAttribute("aria-valuetext", `${state[dial.name]}${dial.unit}`);
    }
    data.charts.forEach((item, number) => chart(root.querySelector(`[data-chart="${number}"]`), item));
    if (wish) {
      for (const slid of root.querySelectorAll("[data-wish]")) {
        slid.value = wishes[slid.dataset.wish];
        slid.setAttribute("aria-valuetext", `${wish.tolerances[slid.value]}%`);
      }
      profile();
    }
  }

  root.addEventListener("input", event => {
    const {name, dataset, value} = event.target;
    if (dataset.wish !== undefined) wishes[dataset.wish] = Number(value);
    else if (dataset.dial !== undefined) state[dataset.dial] = dials[dataset.dial].nodes[value];
    else {
      const found = valid(name, value);
      event.target.setAttribute("aria-invalid", found === null);
      if (found === null) return;
      state[name] = found;
    }
    store();
    show();
  });
  root.addEventListener("submit", event => event.preventDefault());
  root.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button === null) return;
    if (button.dataset.bet !== undefined) bet(button.dataset.bet);
    if (button.dataset.reset !== undefined) Object.assign(state, start);
    if (button.dataset.share !== undefined) {
      const told = root.querySelector("[data-shared]");
      navigator.clipboard?.writeText(location.href).then(() => { told.textContent = "copied"; }, () => { told.textContent = location.hash; });
    }
    store();
    show();
  });
  addEventListener("hashchange", () => { load(); show(); });
  load();
  show();
}
