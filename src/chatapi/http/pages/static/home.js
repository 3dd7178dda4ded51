// Says whether the server can do its work: the page itself only shows that it runs.
const state = document.getElementById("state");

async function showState() {
  let isReady = false;
  try {
    isReady = (await fetch("/ready", { cache: "no-store" })).ok;
  } catch {
    // No answer is an answer too.
  }
  state.textContent = isReady ? "healthy" : "not ready";
  state.className = isReady ? "good" : "bad";
}

showState();
