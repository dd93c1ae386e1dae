// The usual chat of a web page: React, react-markdown, one state for the text, set for each piece.
import React, { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

function Chat() {
  const [text, setText] = useState("");
  useEffect(() => {
    document.title = "ready";
    const timer = setTimeout(async () => {
      const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "go on" }] });
      const url = decodeURIComponent(location.hash.slice(1)) + "/chat/completions";
      const answer = await fetch(url, { method: "POST", body });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let left = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (left + value).split("\n");
        left = lines.pop();
        for (const line of lines) {
          if (!line.startsWith("data: {")) continue;
          const piece = JSON.parse(line.slice(6)).choices[0].delta.content ?? "";
          setText((before) => before + piece);
        }
      }
      document.title = "done";
    }, 3000);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    window.scrollTo(0, document.body.scrollHeight);
  }, [text]);
  return (
    <main>
      <Markdown remarkPlugins={[remarkGfm]}>{text}</Markdown>
    </main>
  );
}

createRoot(document.getElementById("chat")).render(<Chat />);
